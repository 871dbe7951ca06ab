#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/copy_sums.h"

namespace loci::report {
namespace {

using sdk::to_view;

// Less is no habit yet.
constexpr std::uint64_t kMinSteps = 2;
// Of the steps: one that starts the program up, or evaluates, may do without.
constexpr std::uint64_t kHabitTenths = 9;

std::string remedy(const CopyKey& key, const loci_profile_label& label) {
  const auto& [variable, source, target] = key;
  if (label.producer.size == 0) {
    return fmt::format("If its value stays the same, keep it on {}: make it persistable there.",
                       target);
  }
  const std::string_view consumer = to_view(label.consumer);
  return fmt::format("{} makes it on {}: run {} there too, or both on {}.", to_view(label.producer),
                     source, consumer.empty() ? "what needs it" : consumer, target);
}

Advice advice_on(const CopyKey& key, const CopySum& sum, std::uint64_t steps) {
  const auto& [variable, source, target] = key;
  Advice advice;
  advice.rule = "repeated_copy";
  advice.title = fmt::format("'{}' is copied from {} to {} in {} step", variable, source, target,
                             sum.calls >= steps ? "every" : "almost every");
  advice.text = remedy(key, *sum.label);
  advice.cost_ns = sum.host_ns;
  advice.facts = {count_fact("Copies", sum.calls),
                  count_fact("Steps", steps),
                  count_fact("Host waited", sum.waited),
                  bytes_fact("Bytes", sum.bytes),
                  time_fact("Host time", sum.host_ns),
                  time_fact("Device time", sum.device_ns),
                  text_fact("Reason", to_view(sum.label->reason))};
  if (sum.label->consumer.size != 0) {
    advice.facts.push_back(text_fact("Needed by", to_view(sum.label->consumer)));
  }
  return advice;
}

// A copy to or from an operator that round_trip_advice names.
bool is_of_round_trip(const CopySum& sum, const std::set<std::string_view>& operators) {
  return operators.count(to_view(sum.label->consumer)) != 0 ||
         operators.count(to_view(sum.label->producer)) != 0;
}

}  // namespace

std::vector<Advice> repeated_copy_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  if (profile.step_count < kMinSteps) return result;
  const std::uint64_t habit = std::max(kMinSteps, (profile.step_count * kHabitTenths + 9) / 10);
  std::set<std::string_view> operators;
  for (const auto& [stop, trip] : operator_round_trips(profile))
    operators.insert(std::get<0>(stop));
  for (const auto& [key, sum] : avoidable_copies(profile)) {
    if (sum.calls < habit || is_of_round_trip(sum, operators)) continue;
    result.push_back(advice_on(key, sum, profile.step_count));
  }
  return result;
}

}  // namespace loci::report
