// How the driver tells of its activity.
#pragma once

#include <optional>

#include "tools/cuda_double/driver/activity.h"
#include "tools/cuda_double/driver/operation.h"

namespace loci::cuda_double {

class Stream;

// One call of an exported function, from before the driver is locked until after. Calls do not
// nest.
class HeardCall {
 public:
  explicit HeardCall(const char* name);
  // Tells of it. Returns its result.
  CUresult ended(CUresult result);

 private:
  const ActivityListener* listener_;
  CallActivity call_{};
};

// Returns what is told of an operation when it is done, as far as it is known when this thread's
// call enqueues it; none where nobody listens or there is nothing to tell. `node` is 0 outside of a
// graph. With the lock.
[[nodiscard]] std::optional<WorkActivity> heard_work(Driver& driver, const Operation& operation,
                                                     const Stream& stream, std::uint64_t node);

// execute(), and tells of it.
void execute_heard(const Operation& operation, const Task& task, Driver& driver,
                   const std::optional<WorkActivity>& work);

}  // namespace loci::cuda_double
