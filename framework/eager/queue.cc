#include "framework/eager/queue.h"

#include <chrono>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "framework/core/calls_at_end.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/eager/call_scope.h"
#include "framework/eager/launch.h"
#include "framework/eager/task_watcher.h"
#include "framework/eager/work_recorder.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/parts.h"

namespace loci::eager {
namespace {

// Whose work this thread lets go of, which may end in a function of the user's that waits.
thread_local const Queue* releasing_of = nullptr;

}  // namespace

Queue::Queue(device::Device& device, bool is_default, Issue issue, std::int32_t priority)
    : device_(device),
      is_inline_(device.is_inline()),
      issue_(issue),
      priority_(priority),
      stream_(device, is_default, priority) {
  if (core::process_end_has_begun()) begin_end();
}

// Returns true if the stream can wait for it without the host.
bool Queue::can_follow(const Dependency& dependency) const {
  return !dependency.for_host && dependency.ticket.queue->can_precede(device_);
}

bool Queue::can_issue(const Task& task) const {
  if (issue_ == Issue::kByWorker) return false;
  if (task.host_function != nullptr && !device_.can_launch_host()) return false;
  for (const Dependency& dependency : task.before) {
    const tensor::Ticket& ticket = dependency.ticket;
    if (can_follow(dependency)) {
      if (!ticket.queue->is_issued(ticket.number)) return false;
    } else if (ticket.queue == this) {
      if (!stream_.issued().went_well(ticket.number))
        return false;  // to ask takes the lock that is held
    } else if (!ticket.has_ended()) {
      return false;
    }
  }
  return true;
}

// Calls come to submit() meanwhile instead of running directly.
void Queue::set_recorder(std::shared_ptr<WorkRecorder> recorder) noexcept {
  const std::lock_guard lock(mutex_);
  recorder_.swap(recorder);
  has_recorder_.store(recorder_ != nullptr, std::memory_order_release);
  awaits_.store(
      recorder_ != nullptr || !awaited_.empty() || is_stopped_.load(std::memory_order_relaxed),
      std::memory_order_release);
}

void Queue::submit(Task& task) {
  if (TaskWatcher* watcher = task_watcher()) [[unlikely]]
    watcher->note_task(task, *this);
  const core::Computing call;
  std::unique_lock lock(mutex_);
  if (recorder_ != nullptr) [[unlikely]] {
    const std::shared_ptr<WorkRecorder> recorder = recorder_;
    lock.unlock();
    return recorder->record(task, *this);
  }
  if (is_stopped_.load(std::memory_order_relaxed)) [[unlikely]] {
    lock.unlock();
    return refuse(task);
  }
  make_room(lock);
  if (awaits_.load(std::memory_order_relaxed)) {
    for (const tensor::Ticket& ticket : awaited_) task.before.push_back({.ticket = ticket});
    awaited_.clear();
    awaits_.store(false, std::memory_order_relaxed);
  }
  const bool is_idle = worker_.is_idle();
  if (is_idle && is_inline_ && task.before.empty() && task.is_small() && is_ready(task)) {
    issue(task);
    return;
  }
  const std::uint64_t ticket = worker_.next_ticket();
  try {
    enter_uses(task, {this, ticket}, is_inline_ ? nullptr : &task.sources);
    if (is_idle && !is_inline_ && can_issue(task)) return enqueue_now(task, ticket);
    worker_.start(device_.place());
  } catch (...) {
    skip(ticket);
    throw;
  }
  worker_.put(std::move(task), ticket);
  lock.unlock();
  worker_.wake();
}

void Queue::enqueue_now(Task& task, std::uint64_t ticket) {
  hand_over(task, ticket, nullptr);
  worker_.pass(ticket);
  throttle();
}

// Nothing is done under that ticket, which tensors may name already.
void Queue::skip(std::uint64_t ticket) noexcept {
  if (worker_.is_idle()) return worker_.pass(ticket);
  worker_.put(Task(), ticket);
  worker_.wake();
}

// Its results fail, and the call does not throw: it may stand in a destructor.
void Queue::refuse(Task& task) noexcept {
  try {
    if (device_.loss().is_lost()) device_.require_reach();
    core::await_process_end();
    core::raise(ErrorCode::kUnavailable,
                "the process is ending, and the libraries that compute at {} may be gone; compute "
                "before main() returns",
                device_.place().to_string());
  } catch (...) {
    fail(task);
  }
}

// Where the queue is full: back-pressure. Without the lock, which the worker may need.
void Queue::make_room(std::unique_lock<std::mutex>& lock) {
  while (worker_.is_full()) {
    lock.unlock();
    worker_.wait_for_room();
    lock.lock();
  }
}

// Never throws: what the task fails with is found where its results are used.
void Queue::issue(Task& task) noexcept {
  if (inherit_failure(task)) return;
  clear_failures(task);
  try {
    if (is_of_parent_) {
      core::raise(ErrorCode::kUnavailable,
                  "{} was opened before this process was forked, and belongs to its parent; fork "
                  "first, or start a new program",
                  device_.place().to_string());
    }
    if (device_.loss().is_lost()) device_.require_reach();
    for (const Dependency& dependency : task.before) {
      if (!can_follow(dependency) || dependency.ticket.has_ended()) continue;
      dependency.ticket.queue->order_before(stream_.handle());
    }
    if (const std::shared_ptr<tensor::Failure> earlier = failed_source(task)) {
      return fail_outputs(task, earlier);
    }
    if (task.host_function != nullptr && !is_inline_) return launch_host(task);
    run_task(task, *this);
  } catch (...) {
    fail(task);
  }
}

// The failure, as far as is known by now, of a device's work whose results the task reads.
std::shared_ptr<tensor::Failure> Queue::failed_source(const Task& task) const {
  if (is_inline_ || !IssuedWork::any_has_failed()) return nullptr;
  for (const tensor::Ticket& source : task.sources) {
    if (auto failure = source.queue->known_failure(source.number)) return failure;
  }
  return nullptr;
}

void Queue::enqueue_after(Task& task, const std::shared_ptr<tensor::Failure>& earlier) noexcept {
  if (earlier == nullptr) return issue(task);
  fail_outputs(task, earlier);
}

void Queue::fail(Task& task) noexcept {
  const std::shared_ptr<tensor::Failure> failure = failure_of(task);
  fail_outputs(task, failure);
  untold_.note(failure);
}

// For what a stream cannot wait for itself. What that failed with, if it did: there is nothing to
// compute from then.
std::shared_ptr<tensor::Failure> Queue::await_before(Task& task) noexcept {
  std::shared_ptr<tensor::Failure> failure;
  for (const Dependency& dependency : task.before) {
    const tensor::Ticket& ticket = dependency.ticket;
    if (can_follow(dependency)) {
      ticket.queue->wait_issued(ticket.number);
    } else if (std::shared_ptr<tensor::Failure> found = ticket.queue->outcome(ticket.number)) {
      if (dependency.is_source) failure = std::move(found);
    }
  }
  return failure;
}

// Inputs that come from elsewhere are in the phase prepare_data of their operator.
std::shared_ptr<tensor::Failure> Queue::await_inputs(Task& task) noexcept {
  if (task.plan == nullptr || !task.plan->moves) return await_before(task);
  const profiler::Scope scope(label_of(profiler::Part::kPrepareData), 0, profiler::Level::kDetail);
  return await_before(task);
}

// The worker calls this for each task.
void Queue::take(Task task, std::uint64_t ticket) noexcept {
  std::optional<CallScope> scope;  // ends before whoever waits goes on
  if (task.plan != nullptr && task.plan->moves) scope.emplace(*task.plan);
  const std::shared_ptr<tensor::Failure> earlier = await_inputs(task);
  releasing_.store(ticket, std::memory_order_relaxed);
  releasing_of = this;
  if (task.host_function != nullptr && !is_inline_ && !is_of_parent_ &&
      !device_.can_launch_host()) {
    run_behind_stream(task);
  }
  if (is_inline_) {
    enqueue_after(task, earlier);
    scope.reset();
    // Before whoever waits goes on: the memory is free then.
    task = Task();
    worker_.finish(ticket);
  } else {
    {
      const std::lock_guard lock(mutex_);
      hand_over(task, ticket, earlier);
    }
    scope.reset();
    // A device's memory that ends here asks for tickets that have been handed over.
    worker_.finish(ticket);
    task = Task();
    throttle();
  }
  release_ended();
  releasing_of = nullptr;
  releasing_.store(0, std::memory_order_release);
}

// The worker lets go of what a task held after those who wait for its results have gone on.
bool Queue::is_releasing(std::uint64_t ticket) const noexcept {
  const std::uint64_t releasing = releasing_.load(std::memory_order_acquire);
  return releasing != 0 && releasing <= ticket && releasing_of != this;
}

// A queued device's. What the task fails with is found where its results are used.
void Queue::hand_over(Task& task, std::uint64_t ticket,
                      const std::shared_ptr<tensor::Failure>& earlier) noexcept {
  try {
    begin_handover(task, ticket);
  } catch (const std::bad_alloc&) {
    return fail(task);
  }
  enqueue_after(task, earlier);
  hold_for_device(task, ticket);
}

// Before the device has it: another thread may be told of its failure at once.
void Queue::begin_handover(Task& task, std::uint64_t ticket) {
  IssuedWork::Work work{.plan = task.plan, .batch = {}, .site = task.site};
  if (task.batch != nullptr) {
    work.batch = task.batch->parts();
    work.correlations = task.batch->correlations();
    task.correlation = profiler::take_correlations(work.correlations);
  } else if (task.plan != nullptr || task.host_function != nullptr) {
    task.correlation = profiler::take_correlations(1);
  }
  work.correlation = task.correlation;
  stream_.issued().note(ticket, std::move(work));
}

// Notes the device's error about work up to that ticket; null if what has failed came after it.
std::shared_ptr<tensor::Failure> Queue::note_error(const Error& error,
                                                   std::uint64_t ticket) noexcept {
  std::shared_ptr<tensor::Failure> failure = stream_.issued().failure_at(ticket);
  if (failure == nullptr && stream_.issued().went_well(ticket)) return nullptr;
  if (failure == nullptr) failure = device::failure_of(error);
  untold_.note(failure);
  return failure;
}

// Host memory that the device reads or writes stays until the stream has passed. That of a device
// is released in the order of its stream, but for what is not from its allocator.
void Queue::hold_for_device(Task& task, std::uint64_t ticket) noexcept {
  if (device_.uses_host_memory()) return;
  for (std::shared_ptr<tensor::TensorImpl>& argument : task.arguments) {
    if (argument == nullptr) continue;
    const tensor::Storage& storage = *argument->storage();
    if (storage.device == &device_ && storage.owner == nullptr) continue;
    if (!kept_.hold(ticket, argument)) return wait_instead_of_holding();
  }
}

void Queue::wait_instead_of_holding() noexcept {
  try {
    device_.synchronize_stream(stream_.handle());
  } catch (const Error& error) {
    note_error(error, worker_.given());
  } catch (const std::bad_alloc&) {
    untold_.note(device::failure_without_memory());
  }
}

void Queue::throttle() noexcept {
  const std::uint64_t issued = worker_.done();
  if (issued % (kMostAhead / 2) != 0 || is_inline_ || is_of_parent_) return;
  // Once in a while, so that a loop without a wait cannot fill the device's queue.
  if (issued - stream_.ended() < kMostAhead) return release_ended();
  try {
    stream_.drain(issued);
    stream_.issued().check(issued);
  } catch (const Error& error) {
    note_error(error, issued);
  } catch (const std::bad_alloc&) {
    return;  // the next one asks
  }
  release_ended();
}

std::uint64_t Queue::mark() { return worker_.given(); }

void Queue::wait_for(const tensor::Ticket& ticket) {
  if (ticket.queue == this || ticket.has_ended()) return;
  const std::lock_guard lock(mutex_);
  awaited_.push_back(ticket);
  awaits_.store(true, std::memory_order_release);
}

bool Queue::has_ended(std::uint64_t ticket) noexcept {
  const std::uint64_t issued = worker_.done();
  if (issued < ticket) return false;
  if (is_inline_ || is_of_parent_ || stream_.issued().went_well(ticket)) return true;
  // Not lock(): the caller may hold another queue's.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  try {
    if (!stream_.query(ticket, issued)) return false;
    release_ended();
  } catch (const Error& error) {
    note_error(error, issued);
  } catch (const std::bad_alloc&) {
    return false;  // whoever waits asks again
  }
  return stream_.issued().failure_at(ticket) == nullptr;
}

void Queue::wait(std::uint64_t ticket) {
  if (const std::shared_ptr<tensor::Failure> failure = outcome(ticket)) {
    failure->was_thrown.store(true, std::memory_order_relaxed);
    throw failure->error;
  }
}

// Waits; null if all went well.
std::shared_ptr<tensor::Failure> Queue::outcome(std::uint64_t ticket) noexcept {
  std::shared_ptr<tensor::Failure> failure;
  try {
    worker_.wait_done(ticket);
    if (!is_inline_ && !is_of_parent_ && !stream_.issued().went_well(ticket)) {
      stream_.wait(ticket, worker_.done());
    }
    failure = stream_.issued().failure_at(ticket);
  } catch (const Error& error) {
    failure = note_error(error, ticket);
  } catch (const std::bad_alloc&) {
    failure = device::failure_without_memory();
  }
  release_ended();
  return failure;
}

void Queue::keep(std::uint64_t ticket, memory::Buffer buffer) noexcept {
  // After leave_device(): nothing runs there any more.
  const bool has_left = is_stopped_.load(std::memory_order_relaxed) && device_.loss().is_lost();
  if (has_left && !device_.loss().is_hung()) return;
  if (kept_.hold(ticket, buffer)) return;
  release_ended();
  if (kept_.hold(ticket, buffer)) return;
  // It may be in use, and to wait for that could take a lock that the caller has.
  core::log(core::Module::kMemory, core::Level::kError, "{} bytes are lost: no memory to keep them",
            buffer.bytes());
  buffer.abandon();
}

void Queue::release_ended() noexcept {
  if (device_.loss().is_hung()) return;  // it may still use what was kept for it
  if (!kept_.is_empty()) kept_.release(is_inline_ ? worker_.done() : stream_.ended());
}

void Queue::settle() noexcept {
  const std::uint64_t ticket = mark();
  (void)outcome(ticket);
  while (is_releasing(ticket)) std::this_thread::yield();
}

void Queue::synchronize() {
  settle();
  if (const auto found = stream_.issued().take_failure()) untold_.note(found);
  untold_.tell();
}

void Queue::prepare_fork() {
  while (true) {
    worker_.wait_done(mark());  // without the lock, which the worker may need
    mutex_.lock();
    if (worker_.is_idle() && !is_releasing(mark())) break;
    mutex_.unlock();
    std::this_thread::yield();
  }
  const std::uint64_t issued = worker_.done();
  if (is_inline_ || stream_.ended() == issued) return;
  try {
    stream_.drain(issued);
  } catch (const Error& error) {
    note_error(error, issued);
  }
  release_ended();
}

void Queue::resume_parent() { mutex_.unlock(); }

void Queue::resume_child() {
  worker_.forget_thread();
  is_of_parent_ = !is_inline_;
  mutex_.unlock();
}

// Also where what it did has failed.
bool Queue::is_over(std::uint64_t ticket) noexcept {
  return has_ended(ticket) || stream_.issued().failure_at(ticket) != nullptr;
}

// Calls come to submit() from now on instead of running directly.
void Queue::begin_end() noexcept {
  is_stopped_.store(true);
  awaits_.store(true);
}

void Queue::leave_device() noexcept {
  constexpr std::chrono::seconds kPatience{1};  // for work of the host's that a task waits for
  if (device_.loss().is_hung() || !stop(core::EndClock::now() + kPatience)) return;
  kept_.release(mark());  // also what was kept for work that has failed
  const std::lock_guard lock(mutex_);
  stream_.leave();
}

void Queue::end() noexcept {
  if (device_.loss().is_hung()) kept_.abandon();
  release_ended();
  worker_.end();
}

// Without waiting for the lock: whoever has it may be in a kernel that never ends.
bool Queue::stop(core::EndClock::time_point deadline) noexcept {
  constexpr std::chrono::microseconds kPause{100};
  begin_end();
  while (!is_over(mark())) {
    if (core::EndClock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  worker_.end();
  return true;
}

}  // namespace loci::eager
