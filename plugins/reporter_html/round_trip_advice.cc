#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <utility>

#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/copy_sums.h"
#include "plugins/reporter_html/data_flow.h"

namespace loci::report {
namespace {

std::vector<Fact> facts_of(const CopySum& out, const CopySum& back) {
  return {count_fact("Copies away", out.calls),
          count_fact("Copies back", back.calls),
          count_fact("Host waited", out.waited + back.waited),
          bytes_fact("Bytes", out.bytes + back.bytes),
          time_fact("Host time", out.host_ns + back.host_ns),
          time_fact("Device time", out.device_ns + back.device_ns)};
}

void add_variables(const loci_profile& profile, std::vector<Advice>& result) {
  const std::map<CopyKey, CopySum> sums = avoidable_copies(profile);
  for (const auto& [key, out] : sums) {
    const auto& [variable, source, target] = key;
    const auto back = sums.find({variable, target, source});
    // Each pair once, from the place that comes first by name.
    if (back == sums.end() || source > target) continue;
    if (std::min(out.calls, back->second.calls) < habit_of(profile, 1)) continue;
    Advice advice;
    advice.rule = "round_trip";
    advice.title = fmt::format("'{}' goes from {} to {} and back", variable, source, target);
    advice.text =
        fmt::format("Run the operators that use it at one place, {} or {}.", source, target);
    advice.facts = facts_of(out, back->second);
    advice.cost_ns = out.host_ns + back->second.host_ns;
    CopySum both = out;
    add_savings(advice, both += back->second, profile.step_count, 0);
    result.push_back(std::move(advice));
  }
}

// A guard matches an operator's whole name, which a pattern is no part of.
bool may_be_guarded(std::string_view name) {
  return name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string_view::npos;
}

std::string remedy(const StopKey& stop, const CopySum& in) {
  const auto& [name, place, elsewhere] = stop;
  if (sdk::to_view(in.label->reason) == "fallback") {
    return fmt::format("{} has no kernel for it: its values cross twice. A plugin may bring one.",
                       elsewhere);
  }
  if (!may_be_guarded(name)) {
    return fmt::format("Run it on {} too: its values cross twice.", elsewhere);
  }
  return fmt::format("Run it on {0} too (--guard {1}={0}): its values cross twice.", elsewhere,
                     name);
}

// Operators that take values from a place and whose results go back there, if fewer cross once they
// run there.
void add_operators(const loci_profile& profile, std::vector<Advice>& result) {
  const DataFlow flow(profile);
  const std::uint64_t steps = std::max<std::uint64_t>(profile.step_count, 1);
  for (const auto& [stop, trip] : operator_round_trips(profile)) {
    const auto& [name, place, elsewhere] = stop;
    CopySum both = trip.in;
    both += trip.out;
    const std::uint64_t more = flow.new_copies(name, place);
    if (both.calls <= more * steps) continue;
    Advice advice;
    advice.rule = "round_trip";
    advice.title = fmt::format("'{}' runs on {} between operators of {}", name, place, elsewhere);
    advice.text = remedy(stop, trip.in);
    advice.facts = facts_of(trip.in, trip.out);
    advice.cost_ns = both.host_ns;
    add_savings(advice, both, steps, more);
    result.push_back(std::move(advice));
  }
}

}  // namespace

std::vector<Advice> round_trip_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  add_variables(profile, result);
  add_operators(profile, result);
  return result;
}

}  // namespace loci::report
