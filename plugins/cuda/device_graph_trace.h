// The launches of graphs on one device, for profiles.
#pragma once

#include "graph_trace.h"

namespace loci::cuda {

class Device;

// Traces launches by CUPTI, or else by events around the whole launch.
class DeviceGraphTrace final : public GraphTrace {
 public:
  explicit DeviceGraphTrace(Device& device) : device_(device) {}

  std::unique_ptr<TracedSpan> begin(const TracedLaunch& launch) override;

 private:
  Device& device_;
};

}  // namespace loci::cuda
