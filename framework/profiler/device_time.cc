#include "framework/profiler/device_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "framework/profiler/abi_text.h"
#include "framework/profiler/covered_time.h"

namespace loci::profiler {
namespace {

loci_profile_device describe(const DeviceFacts& facts) {
  loci_profile_device device{};
  device.place = to_abi(facts.place);
  device.name = to_abi(facts.name);
  device.driver = to_abi(facts.driver);
  device.is_accelerator = facts.is_accelerator ? 1 : 0;
  device.measured_flops = facts.measured_flops;
  device.measured_bytes = facts.measured_bytes;
  device.described_flops = facts.described_flops;
  device.described_bytes = facts.described_bytes;
  device.total_memory = facts.total_memory;
  device.is_queued = facts.is_queued ? 1 : 0;
  return device;
}

std::vector<std::uint32_t> attributed_by_time(const std::vector<loci_profile_device_span>& spans) {
  std::vector<std::uint32_t> order;
  order.reserve(spans.size());
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    if (spans[i].span != LOCI_PROFILE_NONE) order.push_back(i);
  }
  const auto is_earlier = [&](std::uint32_t a, std::uint32_t b) {
    return spans[a].begin_ns < spans[b].begin_ns;
  };
  // They are, if there is one device.
  if (!std::is_sorted(order.begin(), order.end(), is_earlier)) {
    std::stable_sort(order.begin(), order.end(), is_earlier);
  }
  return order;
}

// Adds an interval to a node and to all that are around it.
class NodeTimes {
 public:
  explicit NodeTimes(std::vector<loci_profile_node>& nodes)
      : nodes_(nodes), covered_(nodes.size()) {}

  void add(std::uint32_t node, const loci_profile_device_span& work) {
    for (; node != LOCI_PROFILE_NONE; node = nodes_[node].parent) {
      nodes_[node].device_union_ns += covered_[node].add(work.begin_ns, work.end_ns);
    }
  }

 private:
  std::vector<loci_profile_node>& nodes_;
  std::vector<CoveredTime> covered_;
};

}  // namespace

std::vector<loci_profile_device> describe_devices(const Recording& recording,
                                                  const DeviceWork& work) {
  std::vector<loci_profile_device> devices;
  devices.reserve(recording.devices.size());
  for (const DeviceFacts& facts : recording.devices) devices.push_back(describe(facts));
  std::vector<CoveredTime> covered(devices.size());
  for (const loci_profile_device_span& span : work.spans) {
    loci_profile_device& device = devices[span.device];
    device.stream_count = std::max(device.stream_count, span.stream + 1);
    device.busy_ns += covered[span.device].add(span.begin_ns, span.end_ns);
    device.total_ns += span.end_ns - span.begin_ns;
  }
  return devices;
}

void unite_device_time(const Nesting& nesting, const DeviceWork& work, CallTrees& trees) {
  NodeTimes merged(trees.nodes);
  NodeTimes by_thread(trees.thread_nodes);
  for (const std::uint32_t index : attributed_by_time(work.spans)) {
    const loci_profile_device_span& span = work.spans[index];
    merged.add(nesting.spans[span.span].node, span);
    by_thread.add(trees.thread_node_of_span[span.span], span);
  }
}

}  // namespace loci::profiler
