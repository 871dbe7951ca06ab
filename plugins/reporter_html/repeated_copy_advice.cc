#include <fmt/format.h>

#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/copy_sums.h"
#include "plugins/reporter_html/data_flow.h"

namespace loci::report {
namespace {

using sdk::to_view;

// Less is no habit yet.
constexpr std::uint64_t kMinSteps = 2;

// Empty where running operators elsewhere would need as many copies.
std::string remedy(const CopyKey& key, const loci_profile_label& label, const DataFlow& flow) {
  const auto& [variable, source, target] = key;
  if (label.producer.size == 0) {
    return fmt::format("If its value stays the same, bring it to {0} once, by to(\"{0}\").",
                       target);
  }
  const std::string_view producer = to_view(label.producer), consumer = to_view(label.consumer);
  const bool may_follow = flow.new_copies(consumer, target) == 0;
  const bool may_lead = flow.new_copies(producer, source) == 0;
  const std::string follow =
      fmt::format("run {} there too", consumer.empty() ? "what needs it" : consumer);
  const std::string lead =
      may_follow ? fmt::format(", or both on {}", target) : fmt::format("run both on {}", target);
  if (!may_follow && !may_lead) return {};
  return fmt::format("{} makes it on {}: {}{}.", producer, source, may_follow ? follow : "",
                     may_lead ? lead : "");
}

Advice advice_on(const CopyKey& key, const CopySum& sum, std::uint64_t steps,
                 const std::string& remedy) {
  const auto& [variable, source, target] = key;
  Advice advice;
  advice.rule = "repeated_copy";
  advice.title = fmt::format("'{}' is copied from {} to {} in {} step", variable, source, target,
                             sum.calls >= steps ? "every" : "almost every");
  advice.text = remedy;
  advice.cost_ns = sum.host_ns;
  advice.facts = {count_fact("Copies", sum.calls),
                  count_fact("Steps", steps),
                  count_fact("Host waited", sum.waited),
                  bytes_fact("Bytes", sum.bytes),
                  time_fact("Host time", sum.host_ns),
                  time_fact("Device time", sum.device_ns),
                  text_fact("Reason", to_view(sum.label->reason))};
  add_savings(advice, sum, steps, 0);
  if (sum.label->consumer.size != 0) {
    advice.facts.push_back(text_fact("Needed by", to_view(sum.label->consumer)));
  }
  return advice;
}

// A copy that round_trip_advice names, or to or from an operator that it does.
bool is_of_round_trip(const CopyKey& key, const std::map<CopyKey, CopySum>& sums,
                      const std::set<std::string_view>& operators, std::uint64_t habit) {
  const auto& [variable, source, target] = key;
  const loci_profile_label& label = *sums.at(key).label;
  const auto back = sums.find({variable, target, source});
  const bool comes_back = back != sums.end() && back->second.calls >= habit;
  return comes_back || operators.count(to_view(label.consumer)) != 0 ||
         operators.count(to_view(label.producer)) != 0;
}

}  // namespace

std::vector<Advice> repeated_copy_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  if (profile.step_count < kMinSteps) return result;
  const std::uint64_t habit = habit_of(profile, kMinSteps);
  const DataFlow flow(profile);
  std::set<std::string_view> operators;
  for (const auto& [stop, trip] : operator_round_trips(profile))
    operators.insert(std::get<0>(stop));
  const std::map<CopyKey, CopySum> sums = avoidable_copies(profile);
  for (const auto& [key, sum] : sums) {
    if (sum.calls < habit || is_of_round_trip(key, sums, operators, habit)) continue;
    const std::string text = remedy(key, *sum.label, flow);
    if (!text.empty()) result.push_back(advice_on(key, sum, profile.step_count, text));
  }
  return result;
}

}  // namespace loci::report
