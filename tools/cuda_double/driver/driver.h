// The one driver of a process: everything behind the exported functions.
//
// One mutex guards it all. Work of devices runs without it; calls that wait release it.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/driver/blocks.h"
#include "tools/cuda_double/driver/clock.h"
#include "tools/cuda_double/driver/context.h"
#include "tools/cuda_double/driver/device.h"
#include "tools/cuda_double/driver/findings.h"
#include "tools/cuda_double/driver/kernel_counters.h"
#include "tools/cuda_double/driver/object.h"
#include "tools/cuda_double/driver/race_checker.h"
#include "tools/cuda_double/driver/scheduler.h"
#include "tools/cuda_double/driver/settings.h"
#include "tools/cuda_double/memory/device_memory.h"

namespace loci::cuda_double {

class Driver {
 public:
  // Made by the first call, by the settings of the environment; never destroyed, because its
  // threads may run until the process ends.
  static Driver& get();

  // The first time: makes the devices. Throws DriverError.
  void initialise();
  [[nodiscard]] bool is_initialised() const;
  [[nodiscard]] int device_count() const { return static_cast<int>(devices_.size()); }
  [[nodiscard]] Device& device(int ordinal);  // throws DriverError (invalid device)

  [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }
  // Counts the call; throws DriverError where a failure was planned for it.
  void count_call(const char* function);
  // Calls of all functions together.
  [[nodiscard]] std::uint64_t call_count() const { return call_count_; }
  // The n-th call from now on, of whatever function, gives that code; none for 0.
  void plan_failure(std::uint64_t n, int code);
  // The function whose call last failed so; NULL if none has since it was planned.
  [[nodiscard]] const char* failed_function() const { return failed_function_; }
  // "cuMemAlloc_v2 #12".
  [[nodiscard]] std::string call_name() const;
  // Counts an allocation of device memory; the same.
  void count_allocation();

  // Adds work to a stream, behind all that is on it. The stream's context is the task's.
  TaskPtr submit(Stream& stream, const TaskPtr& task);
  // Adds a kernel, which may overlap with the kernel before it: work that does so runs in order all
  // the same, but what one writes the other must not use.
  TaskPtr submit_kernel(Stream& stream, const TaskPtr& task, bool overlaps);
  // A mark that comes when the stream's last work, a kernel, has ended, and says nothing of it.
  TaskPtr mark_beside_kernel(const Stream& stream);
  // Adds a task with dependencies of its own; the clock is taken from them.
  void submit(const TaskPtr& task, Actor actor, const std::vector<TaskPtr>& dependencies);
  // Adds a task that waits for its dependencies and knows less of them: its clock is `known`.
  void submit_knowing(const TaskPtr& task, Actor actor, const std::vector<TaskPtr>& dependencies,
                      const Clock& known);
  // Puts what the host does from now on after the task, if it is done.
  void seen_by_host(const TaskPtr& task);
  // Waits; throws the context's error if there is one.
  void wait(std::unique_lock<std::mutex>& lock, const TaskPtr& task);
  void wait_for_all(std::unique_lock<std::mutex>& lock, Context& context);

  std::mutex mutex;
  const std::string settings_error;
  const Settings settings;
  Findings findings;
  KernelCounters counters;
  DeviceMemory memory;
  ActorSupply actors;
  Registry registry;
  RaceChecker races;
  MemoryBlocks blocks;
  std::set<Context*> contexts;  // that are alive
  // Those that are no primary ones, for good: a thread may have a destroyed one current.
  std::vector<std::shared_ptr<Context>> all_contexts;

 private:
  Driver(Settings chosen, std::string error);
  void task_failed(Task& task);
  void write_counters() const;
  void submit_beside_kernel(Stream& stream, const TaskPtr& task);

  std::vector<std::unique_ptr<Device>> devices_;
  int process_ = 0;  // that initialised it; 0: none
  std::uint64_t last_id_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> calls_;
  std::uint64_t allocations_ = 0;
  const char* call_ = "";
  std::uint64_t call_count_ = 0;
  std::uint64_t failing_call_ = 0;  // by that count; 0: none
  int failing_code_ = 0;
  const char* failed_function_ = nullptr;
  Clock host_clock_;
  Scheduler scheduler_;
};

}  // namespace loci::cuda_double
