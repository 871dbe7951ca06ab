#include <fmt/format.h>

#include <loci/plugin/reporter.hpp>
#include <map>
#include <utility>

#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/copy_sums.h"

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
    Advice advice;
    advice.rule = "round_trip";
    advice.title = fmt::format("'{}' goes from {} to {} and back", variable, source, target);
    advice.text =
        fmt::format("Run the operators that use it at one place, {} or {}.", source, target);
    advice.facts = facts_of(out, back->second);
    advice.cost_ns = out.host_ns + back->second.host_ns;
    result.push_back(std::move(advice));
  }
}

// Operators that take values from a place and whose results go back there.
void add_operators(const loci_profile& profile, std::vector<Advice>& result) {
  for (const auto& [stop, trip] : operator_round_trips(profile)) {
    const auto& [name, place, elsewhere] = stop;
    Advice advice;
    advice.rule = "round_trip";
    advice.title = fmt::format("'{}' runs on {} between operators of {}", name, place, elsewhere);
    advice.text = fmt::format(
        "Run it on {} too: its values cross twice. If that has no kernel for it, another plugin "
        "may "
        "bring one.",
        elsewhere);
    advice.facts = facts_of(trip.in, trip.out);
    advice.cost_ns = trip.in.host_ns + trip.out.host_ns;
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
