// Work of a device, in the order that its dependencies give.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/cuda_double/driver/clock.h"

namespace loci::cuda_double {

class Context;
struct Task;
using TaskPtr = std::shared_ptr<Task>;

// Guarded by the driver's mutex, but for what `work` itself uses.
struct Task {
  Context* context = nullptr;  // outlives the task
  std::string what;            // for messages: "cuLaunchKernel store"
  // Runs on a thread of the scheduler, without the lock; empty for a mark in a stream, which is
  // done as soon as its dependencies are. What it throws ends the context.
  std::function<void(Task&)> work;
  // Runs with the lock, when the work is done or was left out because the context has an error.
  std::function<void()> afterwards;
  bool runs_after_errors = false;  // has to run in a context with an error too
  bool is_host_function = false;   // of which one runs at a time, as with a driver

  Epoch epoch;
  Clock clock;  // of all that is before it, and itself

  int unmet = 0;  // dependencies that are not done
  std::vector<TaskPtr> dependents;
  bool done = false;
  std::chrono::steady_clock::time_point done_at;
};

}  // namespace loci::cuda_double
