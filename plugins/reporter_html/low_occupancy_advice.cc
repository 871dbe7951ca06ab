#include <fmt/format.h>

#include <loci/plugin/reporter.hpp>
#include <map>
#include <utility>

#include "plugins/reporter_html/advice.h"

namespace loci::report {
namespace {

using sdk::to_view;

constexpr double kLow = 0.25;
// The least share of the time that its device was busy: less is not worth a look.
constexpr double kMinBusyShare = 0.01;

struct KernelSum {
  std::uint64_t calls = 0;
  std::uint64_t device_ns = 0;
  double occupied_ns = 0;  // occupancy times time
  const loci_profile_device_span* longest = nullptr;
};

// The sums of kernels, by device and name.
using KernelSums = std::map<std::pair<std::uint32_t, std::string_view>, KernelSum>;

KernelSums kernels_of(const loci_profile& profile) {
  KernelSums sums;
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    if (work.kind != LOCI_DEVICE_WORK_KERNEL || !(work.geometry.occupancy > 0)) continue;
    KernelSum& sum = sums[{work.device, to_view(work.name)}];
    const std::uint64_t ns = work.end_ns - work.begin_ns;
    ++sum.calls;
    sum.device_ns += ns;
    sum.occupied_ns += work.geometry.occupancy * static_cast<double>(ns);
    const bool is_longest =
        sum.longest == nullptr || ns > sum.longest->end_ns - sum.longest->begin_ns;
    if (is_longest) sum.longest = &work;
  }
  return sums;
}

std::string triple(const std::uint32_t (&numbers)[3]) {
  return fmt::format("{} x {} x {}", numbers[0], numbers[1], numbers[2]);
}

Advice advice_on(const loci_profile_device& device, std::string_view name, const KernelSum& sum,
                 double occupancy) {
  const loci_launch_geometry& geometry = sum.longest->geometry;
  Advice advice;
  advice.rule = "low_occupancy";
  advice.title =
      fmt::format("'{}' occupies {:.0f} % of {}", name, occupancy * 100, to_view(device.place));
  advice.text =
      "More blocks, smaller blocks, fewer registers or less shared memory let more threads run at "
      "the same time; a larger batch gives more blocks.";
  advice.cost_ns = sum.device_ns - static_cast<std::uint64_t>(sum.occupied_ns);
  advice.facts = {
      ratio_fact("Occupancy", occupancy),
      count_fact("Kernels", sum.calls),
      time_fact("Device time", sum.device_ns),
      text_fact("Grid of the longest", triple(geometry.grid)),
      text_fact("Block", triple(geometry.block)),
      count_fact("Registers per thread", geometry.registers),
      bytes_fact("Shared memory per block", geometry.static_shared + geometry.dynamic_shared)};
  return advice;
}

}  // namespace

std::vector<Advice> low_occupancy_advice(const loci_profile& profile) {
  std::vector<Advice> result;
  for (const auto& [key, sum] : kernels_of(profile)) {
    const auto& [device_index, name] = key;
    const loci_profile_device& device = profile.devices[device_index];
    const auto time = static_cast<double>(sum.device_ns);
    const bool matters = time > 0 && time >= kMinBusyShare * static_cast<double>(device.busy_ns);
    if (!matters || sum.occupied_ns >= kLow * time) continue;
    result.push_back(advice_on(device, name, sum, sum.occupied_ns / time));
  }
  return result;
}

}  // namespace loci::report
