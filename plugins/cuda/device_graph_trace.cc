#include "device_graph_trace.h"

#include "device.h"
#include "graph_launches.h"
#include "work_scope.h"

namespace loci::cuda {
namespace {

// Whose each part of the time is cannot be told, so that it is nobody's.
TimedWork replay_of(const TracedLaunch& launch) {
  TimedWork work;
  work.graph = launch.graph;
  work.replay = launch.replay;
  return work;
}

class TimedLaunch final : public TracedSpan {
 public:
  TimedLaunch(Device& device, const TracedLaunch& launch)
      : scope_(device, static_cast<CUstream>(launch.stream), replay_of(launch)) {}

 private:
  WorkScope scope_;
};

}  // namespace

std::unique_ptr<TracedSpan> DeviceGraphTrace::begin(const TracedLaunch& launch) {
  std::unique_ptr<TracedSpan> span = GraphLaunches::instance().begin(launch);
  if (span == nullptr && EventSession::is_any_running()) {
    span = std::make_unique<TimedLaunch>(device_, launch);
  }
  return span;
}

}  // namespace loci::cuda
