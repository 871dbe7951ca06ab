#include <fmt/format.h>

#include <loci/plugin/reporter.hpp>
#include <map>
#include <vector>

#include "plugins/reporter_html/advice.h"

namespace loci::report {
namespace {

using sdk::to_view;

// About what a launch costs; below, fewer and larger kernels pay.
constexpr std::uint64_t kTinyNs = 10'000;
constexpr std::uint64_t kMinKernels = 20;

struct Launches {
  std::uint64_t kernels = 0;
  std::uint64_t device_ns = 0;
  std::uint64_t host_ns = 0;  // of the launching spans, without what is within them
};

std::map<std::string_view, Launches> launches_by_name(const loci_profile& profile) {
  std::map<std::string_view, Launches> result;
  std::vector<bool> counted(profile.span_count);
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    if (work.kind != LOCI_DEVICE_WORK_KERNEL || work.span == LOCI_PROFILE_NONE) continue;
    const loci_profile_span& span = profile.spans[work.span];
    Launches& sum = result[to_view(profile.labels[span.label].name)];
    ++sum.kernels;
    sum.device_ns += work.end_ns - work.begin_ns;
    if (!counted[work.span]) sum.host_ns += span.self_ns;
    counted[work.span] = true;
  }
  return result;
}

Advice advice_on(std::string_view name, const Launches& sum) {
  Advice advice;
  advice.rule = "tiny_kernel";
  advice.title = fmt::format("Launching the kernels of '{}' takes longer than they run", name);
  advice.text =
      "Let more be fused (--optimize default), replay the step from a captured graph (--capture "
      "auto), or give each call more to do, as with a larger batch.";
  advice.cost_ns = sum.host_ns - sum.device_ns;
  advice.facts = {count_fact("Kernels", sum.kernels),
                  time_fact("Mean device time", sum.device_ns / sum.kernels),
                  time_fact("Mean host time to launch", sum.host_ns / sum.kernels),
                  time_fact("Device time", sum.device_ns), time_fact("Host time", sum.host_ns)};
  return advice;
}

}  // namespace

std::vector<Advice> tiny_kernel_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  for (const auto& [name, sum] : launches_by_name(profile)) {
    const bool is_tiny = sum.device_ns / sum.kernels < kTinyNs && sum.device_ns < sum.host_ns;
    if (is_tiny && sum.kernels >= kMinKernels) result.push_back(advice_on(name, sum));
  }
  return result;
}

}  // namespace loci::report
