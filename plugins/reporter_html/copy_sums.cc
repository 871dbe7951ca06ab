#include "plugins/reporter_html/copy_sums.h"

#include <algorithm>
#include <iterator>
#include <loci/plugin/reporter.hpp>

namespace loci::report {

using sdk::to_view;

namespace {

constexpr std::uint64_t kHabitTenths = 9;  // of the steps

}  // namespace

CopySum& CopySum::operator+=(const CopySum& other) {
  if (label == nullptr) label = other.label;
  calls += other.calls;
  waited += other.waited;
  bytes += other.bytes;
  host_ns += other.host_ns;
  device_ns += other.device_ns;
  return *this;
}

bool may_be_avoidable(const loci_profile& profile, const loci_profile_copy& copy) {
  const std::string_view reason = to_view(profile.labels[copy.label].reason);
  return copy.crosses != 0 && reason != "feed" && reason != "fetch" && reason != "load" &&
         reason != "pack" && reason != "explicit";
}

std::uint64_t habit_of(const loci_profile& profile, std::uint64_t least) {
  return std::max(least, (profile.step_count * kHabitTenths + 9) / 10);
}

CopySum sum_of(const loci_profile& profile, const loci_profile_copy& copy) {
  return {copy.calls,   copy.waited,    copy.bytes,
          copy.host_ns, copy.device_ns, &profile.labels[copy.label]};
}

std::map<CopyKey, CopySum> avoidable_copies(const loci_profile& profile) {
  std::map<CopyKey, CopySum> sums;
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    if (!may_be_avoidable(profile, copy)) continue;
    const loci_profile_label& label = profile.labels[copy.label];
    sums[{to_view(label.variable), to_view(label.source), to_view(label.target)}] +=
        sum_of(profile, copy);
  }
  return sums;
}

std::map<StopKey, RoundTrip> operator_round_trips(const loci_profile& profile) {
  std::map<StopKey, RoundTrip> trips;
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    if (!may_be_avoidable(profile, copy)) continue;
    const loci_profile_label& label = profile.labels[copy.label];
    const std::string_view source = to_view(label.source), target = to_view(label.target);
    trips[{to_view(label.consumer), target, source}].in += sum_of(profile, copy);
    trips[{to_view(label.producer), source, target}].out += sum_of(profile, copy);
  }
  for (auto trip = trips.begin(); trip != trips.end();) {
    const std::uint64_t fewest = std::min(trip->second.in.calls, trip->second.out.calls);
    const bool is_one = !std::get<0>(trip->first).empty() && fewest >= habit_of(profile, 1);
    trip = is_one ? std::next(trip) : trips.erase(trip);
  }
  return trips;
}

}  // namespace loci::report
