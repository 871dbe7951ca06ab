#include "plugins/reporter_html/advice.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plugins/reporter_html/copy_sums.h"

namespace loci::report {

Fact count_fact(std::string name, std::uint64_t count) {
  return {std::move(name), Fact::Unit::kCount, static_cast<double>(count)};
}

Fact time_fact(std::string name, std::uint64_t ns) {
  return {std::move(name), Fact::Unit::kNanoseconds, static_cast<double>(ns)};
}

Fact bytes_fact(std::string name, std::uint64_t bytes) {
  return {std::move(name), Fact::Unit::kBytes, static_cast<double>(bytes)};
}

Fact ratio_fact(std::string name, double ratio) {
  return {std::move(name), Fact::Unit::kRatio, ratio};
}

Fact text_fact(std::string name, std::string_view text) {
  return {std::move(name), Fact::Unit::kText, 0, std::string(text)};
}

void add_savings(Advice& advice, const CopySum& copies, std::uint64_t steps, std::uint64_t more) {
  steps = std::max<std::uint64_t>(steps, 1);
  advice.facts.push_back(count_fact("Saves copies a step", copies.calls / steps - more));
  if (more != 0) return;
  advice.facts.push_back(bytes_fact("Saves bytes a step", copies.bytes / steps));
  advice.facts.push_back(time_fact("Saves host time a step", copies.host_ns / steps));
}

std::vector<Advice> all_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  for (const auto& rule : {&repeated_copy_advice, &round_trip_advice, &tiny_kernel_advice,
                           &low_occupancy_advice, &idle_device_advice}) {
    std::vector<Advice> some = rule(profile);
    std::move(some.begin(), some.end(), std::back_inserter(result));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Advice& a, const Advice& b) { return a.cost_ns > b.cost_ns; });
  return result;
}

}  // namespace loci::report
