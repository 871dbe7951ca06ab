#include "framework/eager/host_function.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "framework/core/calls_at_end.h"
#include "framework/core/raise.h"
#include "framework/eager/queue.h"

namespace loci::eager {

void run_host_function(const HostFunction& function) {
  const core::AwaitedByEnd awaited;
  try {
    function();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    core::raise(ErrorCode::kFailed, "{}", error.what());
  } catch (...) {
    core::raise(ErrorCode::kFailed, "it threw something that is no std::exception");
  }
}

namespace {

// A user's function while a stream has it.
struct HostCall {
  Queue* queue;
  Task task;

  static void run(void* context) {
    const std::unique_ptr<HostCall> call(static_cast<HostCall*>(context));
    try {
      run_host_function(*call->task.host_function);
    } catch (...) {
      call->queue->fail(call->task);
    }
  }
};

}  // namespace

// The function may throw: that is the stream's error then, which a wait for the stream meets.
void Queue::launch_host(Task& task) {
  auto call = std::make_unique<HostCall>();
  call->queue = this;
  call->task.site = task.site;
  call->task.host_function = std::move(task.host_function);
  device_.launch_host(stream_.handle(), &HostCall::run, call.get(), task.correlation);
  (void)call.release();
}

void Queue::call_on_host(const std::shared_ptr<HostFunction>& function, const void* site,
                         std::uint64_t correlation) {
  if (is_inline_) return run_host_function(*function);
  Task task;
  task.site = site;
  task.correlation = correlation;
  task.host_function = std::make_unique<HostFunction>([function] { (*function)(); });
  launch_host(task);
}

// On the worker, without the lock, for a device whose streams run no functions: what comes after it
// is in the worker's queue meanwhile.
void Queue::run_behind_stream(Task& task) noexcept {
  const std::unique_ptr<HostFunction> function = std::move(task.host_function);
  try {
    stream_.drain(worker_.done());
  } catch (const Error& error) {
    note_error(error, worker_.done());
  } catch (const std::bad_alloc&) {
    untold_.note(device::failure_without_memory());
  }
  try {
    run_host_function(*function);
  } catch (...) {
    fail(task);
  }
}

}  // namespace loci::eager
