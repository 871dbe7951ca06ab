// Work of one operator, copy, fill or replay, as profiles see it.
#pragma once

#include <optional>

#include "correlation_scope.h"
#include "event_times.h"

namespace loci::cuda {

class Device;

// All that this thread enqueues on the stream while it lives is that work: in the records of CUPTI,
// or where they are not, by events around it. Costs two loads where no profile is recorded.
class WorkScope {
 public:
  WorkScope(Device& device, CUstream stream, const TimedWork& work)
      : belongs_to_(work.correlation), device_(device), stream_(stream), work_(work) {
    if (EventSession::is_any_running()) begin();
  }
  ~WorkScope() {
    if (pair_) end();
  }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  void begin() noexcept;
  void end() noexcept;

  const CorrelationScope belongs_to_;
  Device& device_;
  const CUstream stream_;
  const TimedWork work_;
  std::optional<EventPair> pair_;
};

}  // namespace loci::cuda
