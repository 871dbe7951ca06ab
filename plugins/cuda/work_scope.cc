#include "work_scope.h"

#include "device.h"

namespace loci::cuda {

// A device that is lost says so where the work itself is enqueued.
void WorkScope::begin() noexcept {
  const CurrentContext current(device_, CurrentContext::ToGiveBack{});
  pair_ = device_.event_times().begin(stream_);
}

void WorkScope::end() noexcept {
  const CurrentContext current(device_, CurrentContext::ToGiveBack{});
  device_.event_times().end(*pair_, stream_, work_);
}

}  // namespace loci::cuda
