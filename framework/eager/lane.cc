#include "framework/eager/lane.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"
#include "framework/eager/launch.h"

namespace loci::eager {
namespace {

using Clock = std::chrono::steady_clock;
// Longer than between two ops of a loop, shorter than anybody notices.
constexpr std::chrono::microseconds kSpin{20};

// Spins until `done`, for a while; returns whether it came.
template <class Done>
bool spin_until(const Done& done) {
  if (done()) return true;
  const Clock::time_point end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      __builtin_ia32_pause();
    }
    sched_yield();
  } while (Clock::now() < end);
  return done();
}

// Of what is being caught, with the op, its arguments, its place and its site.
std::shared_ptr<tensor::Failure> describe_failure(const Task& task) {
  try {
    throw;
  } catch (const Error& error) {
    return std::make_shared<tensor::Failure>(
        Error(error.code(), fmt::format("{}: {}", describe(task), error.what()), error.details()));
  } catch (const std::bad_alloc&) {
    return std::make_shared<tensor::Failure>(
        Error(ErrorCode::kOutOfMemory,
              fmt::format("{}: no host memory was left; free some and try again", describe(task))));
  } catch (const std::exception& error) {
    return std::make_shared<tensor::Failure>(
        Error(ErrorCode::kInternal, fmt::format("{}: {}", describe(task), error.what())));
  }
}

std::shared_ptr<tensor::Failure> failure_of(const Task& task) noexcept {
  try {
    return describe_failure(task);
  } catch (const std::bad_alloc&) {
    return device::failure_without_memory();
  }
}

}  // namespace

Lane::Lane(device::Device& device, bool is_default, Issue issue)
    : device_(device), is_inline_(device.is_inline()), issue_(issue), work_(device) {
  if (is_default || is_inline_) {
    stream_ = device.default_stream();
  } else {
    own_stream_ = std::make_unique<device::Stream>(device);
    stream_ = own_stream_->handle();
  }
  if (core::process_is_ending()) begin_end();
}

// Whether this stream can wait for that one without the host. Not for one of another device, even
// where it could: that may fail later, and nobody who asks this device would be told.
bool Lane::can_follow(const Lane& other) const { return !is_inline_ && &device_ == &other.device_; }

bool Lane::can_follow(const Dependency& dependency) const {
  return !dependency.for_host && can_follow(*static_cast<const Lane*>(dependency.ticket.queue));
}

bool Lane::can_issue(const Task& task) const {
  if (issue_ == Issue::kByWorker) return false;
  for (const Dependency& dependency : task.before) {
    const tensor::Ticket& ticket = dependency.ticket;
    if (can_follow(dependency)) {
      const Lane& other = *static_cast<const Lane*>(ticket.queue);
      if (other.issued_.load(std::memory_order_acquire) < ticket.number) return false;
    } else if (ticket.queue == this) {
      if (!work_.went_well(ticket.number)) return false;  // to ask takes the lock that is held
    } else if (!ticket.has_ended()) {
      return false;
    }
  }
  return true;
}

void Lane::submit(Task& task) {
  std::unique_lock lock(mutex_);
  if (is_stopped_.load(std::memory_order_relaxed)) [[unlikely]]
    return refuse(task);
  make_room(lock);
  if (awaits_.load(std::memory_order_relaxed)) {
    for (const tensor::Ticket& ticket : awaited_) task.before.push_back({.ticket = ticket});
    awaited_.clear();
    awaits_.store(false, std::memory_order_relaxed);
  }
  const bool is_idle = is_queue_empty();
  if (is_idle && is_inline_ && task.before.empty() && task.is_small() && is_ready(task)) {
    issue(task);
    return;
  }
  const std::uint64_t ticket = enqueued_.load(std::memory_order_relaxed) + 1;
  try {
    enter_uses(task, {this, ticket});
    if (is_idle && !is_inline_ && can_issue(task)) return issue_at_once(task, ticket);
    start_worker();
  } catch (...) {
    skip(ticket);
    throw;
  }
  push(std::move(task), ticket);
  lock.unlock();
  wake_worker();
}

void Lane::issue_at_once(Task& task, std::uint64_t ticket) {
  hand_over(task, ticket, nullptr);
  // In this order, so that the worker never takes it for one of its own.
  issued_.store(ticket, std::memory_order_release);
  enqueued_.store(ticket, std::memory_order_release);
  throttle();
}

// Nothing is done under that ticket, which tensors may name already.
void Lane::skip(std::uint64_t ticket) noexcept {
  if (!is_queue_empty()) {
    push(Task(), ticket);
    wake_worker();
    return;
  }
  issued_.store(ticket, std::memory_order_release);
  enqueued_.store(ticket, std::memory_order_release);
}

// Its results fail, and the call does not throw: it may stand in a destructor.
void Lane::refuse(Task& task) noexcept {
  try {
    core::raise(ErrorCode::kUnavailable,
                "the process is ending, and the libraries that compute at {} may be gone; compute "
                "before main() returns",
                device_.place().to_string());
  } catch (...) {
    fail(task);
  }
}

// Where the queue is full: back-pressure. Without the lock, which the worker may need.
void Lane::make_room(std::unique_lock<std::mutex>& lock) {
  while (true) {
    const std::uint64_t enqueued = enqueued_.load(std::memory_order_relaxed);
    if (enqueued - issued_.load(std::memory_order_acquire) < kCapacity) return;
    lock.unlock();
    wait_issued(enqueued - kCapacity + kRoom);
    lock.lock();
  }
}

void Lane::push(Task&& task, std::uint64_t ticket) noexcept {
  ring_.put(ticket, std::move(task));
  enqueued_.store(ticket, std::memory_order_seq_cst);
}

void Lane::wake_worker() noexcept {
  if (sleeping_workers_.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard sleep(sleep_mutex_); }
  work_came_.notify_one();
}

// Never throws: what the task fails with is found where its results are used.
void Lane::issue(Task& task) noexcept {
  if (inherit_failure(task)) return;
  forgive_outputs(task);
  try {
    if (is_of_parent_) {
      core::raise(ErrorCode::kUnavailable,
                  "{} was opened before this process was forked, and belongs to its parent; fork "
                  "first, or start a new program",
                  device_.place().to_string());
    }
    for (const Dependency& dependency : task.before) {
      if (!can_follow(dependency) || dependency.ticket.has_ended()) continue;
      order_behind(*static_cast<Lane*>(dependency.ticket.queue));
    }
    if (const std::shared_ptr<tensor::Failure> earlier = failed_source(task)) {
      return fail_outputs(task, earlier);
    }
    run_task(task, stream_);
  } catch (...) {
    fail(task);
  }
}

// What a device has said of work whose results the task reads, as far as is known by now.
std::shared_ptr<tensor::Failure> Lane::failed_source(const Task& task) const {
  if (is_inline_ || !IssuedWork::any_has_failed()) return nullptr;
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    for (const tensor::Ticket& ticket :
         task.arguments[i]->storage()->uses.pending(/*writers_only=*/true)) {
      const Lane& writer = *static_cast<const Lane*>(ticket.queue);
      if (auto failure = writer.work_.failure_at(ticket.number)) return failure;
    }
  }
  return nullptr;
}

void Lane::issue_after(Task& task, const std::shared_ptr<tensor::Failure>& earlier) noexcept {
  if (earlier == nullptr) return issue(task);
  fail_outputs(task, earlier);
}

void Lane::fail(Task& task) noexcept {
  const std::shared_ptr<tensor::Failure> failure = failure_of(task);
  fail_outputs(task, failure);
  note(failure);
}

// For what a stream cannot wait for itself. What that failed with, if it did: there is nothing to
// compute from then.
std::shared_ptr<tensor::Failure> Lane::await_before(Task& task) noexcept {
  std::shared_ptr<tensor::Failure> failure;
  for (const Dependency& dependency : task.before) {
    Lane& other = *static_cast<Lane*>(dependency.ticket.queue);
    const std::uint64_t ticket = dependency.ticket.number;
    if (can_follow(dependency)) {
      other.wait_issued(ticket);
    } else if (std::shared_ptr<tensor::Failure> found = other.outcome(ticket)) {
      if (dependency.is_source) failure = std::move(found);
    }
  }
  return failure;
}

// The event holds all that `other` has now: more than is asked for, seldom much.
void Lane::order_behind(Lane& other) {
  const std::lock_guard lock(other.event_mutex_);
  if (other.event_ == nullptr) other.event_ = std::make_unique<device::Event>(other.device_);
  other.event_->record(other.stream_);
  other.event_->wait_on(stream_);
}

void Lane::note(const std::shared_ptr<tensor::Failure>& failure) noexcept {
  const std::lock_guard lock(failure_lock_);
  if (failure_ == nullptr || failure_->was_thrown.load(std::memory_order_relaxed)) {
    failure_ = failure;
  }
}

// A queued device's. What the task fails with is found where its results are used.
void Lane::hand_over(Task& task, std::uint64_t ticket,
                     const std::shared_ptr<tensor::Failure>& earlier) noexcept {
  try {
    begin_handover(task, ticket);
  } catch (const std::bad_alloc&) {
    return fail(task);
  }
  issue_after(task, earlier);
  hold_for_device(task, ticket);
}

// Before the device has it: another thread may be told of its failure at once.
void Lane::begin_handover(Task& task, std::uint64_t ticket) {
  if (task.plan != nullptr) task.correlation = next_correlation();
  work_.note(ticket, task.plan, task.site, task.correlation);
}

// Of the device, about the work up to that ticket.
std::shared_ptr<tensor::Failure> Lane::note_error(const Error& error,
                                                  std::uint64_t ticket) noexcept {
  std::shared_ptr<tensor::Failure> failure = work_.failure_at(ticket);
  try {
    if (failure == nullptr) failure = std::make_shared<tensor::Failure>(error);
  } catch (const std::bad_alloc&) {
    failure = device::failure_without_memory();
  }
  note(failure);
  return failure;
}

// Host memory that the device reads or writes stays until the stream has passed. That of a device
// is released in the order of its stream, but for what is not from its allocator.
void Lane::hold_for_device(Task& task, std::uint64_t ticket) noexcept {
  if (device_.uses_host_memory()) return;
  for (std::shared_ptr<tensor::TensorImpl>& argument : task.arguments) {
    if (argument == nullptr) continue;
    const tensor::Storage& storage = *argument->storage();
    if (storage.device == &device_ && storage.owner == nullptr) continue;
    if (!kept_.hold(ticket, argument)) return wait_instead_of_holding();
  }
}

void Lane::wait_instead_of_holding() noexcept {
  try {
    device_.synchronize_stream(stream_);
  } catch (const Error& error) {
    note_error(error, enqueued_.load(std::memory_order_relaxed));
  } catch (const std::bad_alloc&) {
    note(device::failure_without_memory());
  }
}

void Lane::throttle() noexcept {
  const std::uint64_t issued = issued_.load(std::memory_order_relaxed);
  if (issued % (kMostAhead / 2) != 0 || is_inline_ || is_of_parent_) return;
  // Once in a while, so that a loop without a wait cannot fill the device's queue.
  if (issued - completed_.load(std::memory_order_relaxed) < kMostAhead) {
    release_ended();
    return;
  }
  try {
    ask_device([&] { device_.synchronize_stream(stream_); });
    work_.check(issued);
  } catch (const Error& error) {
    note_error(error, issued);
  } catch (const std::bad_alloc&) {
    return;  // the next one asks
  }
  complete(issued);
}

std::uint64_t Lane::mark() { return enqueued_.load(std::memory_order_acquire); }

void Lane::wait_for(const tensor::Ticket& ticket) {
  if (ticket.queue == this || ticket.has_ended()) return;
  const std::lock_guard lock(mutex_);
  awaited_.push_back(ticket);
  awaits_.store(true, std::memory_order_release);
}

bool Lane::has_ended(std::uint64_t ticket) noexcept {
  const std::uint64_t issued = issued_.load(std::memory_order_acquire);
  if (issued < ticket) return false;
  if (is_inline_ || is_of_parent_ || work_.went_well(ticket)) return true;
  // Not lock(): the caller may hold another lane's.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  try {
    if (completed_.load(std::memory_order_acquire) < ticket) {
      std::uint32_t done = 0;
      ask_device(
          [&] { device_.check(device_.api().stream_query(stream_, &done), "asking a stream"); });
      if (done == 0) return false;
      complete(issued);
    }
    work_.check(completed_.load(std::memory_order_acquire));
  } catch (const Error& error) {
    note_error(error, issued);
  } catch (const std::bad_alloc&) {
    return false;  // whoever waits asks again
  }
  return work_.failure_at(ticket) == nullptr;
}

void Lane::wait(std::uint64_t ticket) {
  if (const std::shared_ptr<tensor::Failure> failure = outcome(ticket)) {
    failure->was_thrown.store(true, std::memory_order_relaxed);
    throw failure->error;
  }
}

// Waits; null if all went well.
std::shared_ptr<tensor::Failure> Lane::outcome(std::uint64_t ticket) noexcept {
  try {
    wait_for_device(ticket);
  } catch (const Error& error) {
    return note_error(error, ticket);
  } catch (const std::bad_alloc&) {
    return device::failure_without_memory();
  }
  return work_.failure_at(ticket);
}

// What the device answers instead of doing it is about its work.
template <class Request>
void Lane::ask_device(const Request& request) {
  try {
    request();
  } catch (const Error& error) {
    throw work_.blame(error)->error;
  }
}

void Lane::wait_for_device(std::uint64_t ticket) {
  wait_issued(ticket);
  if (is_inline_ || is_of_parent_ || work_.went_well(ticket)) return;
  const std::uint64_t issued = issued_.load(std::memory_order_acquire);
  if (completed_.load(std::memory_order_acquire) < ticket) {
    ask_device([&] {
      // An event, so that the stream is free for others meanwhile. Whoever waits takes the work for
      // ended then, so that lack of memory for one is no way out.
      try {
        device::Event event(device_);
        event.record(stream_);
        event.synchronize();
      } catch (const std::bad_alloc&) {
        device_.synchronize_stream(stream_);
      }
    });
    complete(issued);
  }
  // Not what was issued: where the ticket had ended before, nobody has waited for the rest.
  work_.check(completed_.load(std::memory_order_acquire));
}

void Lane::keep(std::uint64_t ticket, memory::Buffer buffer) noexcept {
  if (kept_.hold(ticket, buffer)) return;
  release_ended();
  if (kept_.hold(ticket, buffer)) return;
  // It may be in use, and to wait for that could take a lock that the caller has.
  core::log(core::Module::kMemory, core::Level::kError, "{} bytes are lost: no memory to keep them",
            buffer.bytes());
  buffer.abandon();
}

void Lane::complete(std::uint64_t ticket) noexcept {
  std::uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < ticket && !completed_.compare_exchange_weak(known, ticket)) {
  }
  release_ended();
}

void Lane::release_ended() noexcept {
  if (kept_.is_empty()) return;
  kept_.release(is_inline_ ? issued_.load() : completed_.load());
}

void Lane::synchronize() {
  (void)outcome(mark());
  if (const std::shared_ptr<tensor::Failure> found = work_.take_failure()) note(found);
  release_ended();
  core::precede_destructors();
  std::shared_ptr<tensor::Failure> failure;
  {
    const std::lock_guard lock(failure_lock_);
    failure = std::exchange(failure_, nullptr);
  }
  if (failure != nullptr && !failure->was_thrown.exchange(true)) throw failure->error;
}

void Lane::start_worker() {
  if (has_worker_) return;
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    core::raise(ErrorCode::kUnavailable,
                "the system gives no thread for what is queued at {}: {}; end some threads",
                device_.place().to_string(), error.what());
  }
  has_worker_ = true;
}

bool Lane::next_is_there() noexcept {
  return enqueued_.load(std::memory_order_seq_cst) > issued_.load(std::memory_order_relaxed);
}

void Lane::work() noexcept {
  core::adopt_width();
  while (true) {
    if (!spin_until([this] { return next_is_there() || ends_.load(); })) {
      std::unique_lock lock(sleep_mutex_);
      sleeping_workers_.store(1, std::memory_order_seq_cst);
      work_came_.wait(lock, [this] { return next_is_there() || ends_.load(); });
      sleeping_workers_.store(0, std::memory_order_relaxed);
    }
    if (!next_is_there()) return;  // it ends, and nothing is left
    const std::uint64_t ticket = issued_.load(std::memory_order_relaxed) + 1;
    Task task = ring_.take(ticket);
    const std::shared_ptr<tensor::Failure> earlier = await_before(task);
    core::adopt_width();
    if (is_inline_) {
      issue_after(task, earlier);
    } else {
      const std::lock_guard lock(mutex_);
      hand_over(task, ticket, earlier);
    }
    if (is_inline_) {
      // Before whoever waits goes on: the memory is free then.
      task = Task();
      finish_issue(ticket);
    } else {
      // A device's memory that ends here asks for tickets that have been handed over.
      finish_issue(ticket);
      task = Task();
      throttle();
    }
    release_ended();
    core::precede_destructors();  // that the task's kernel may have registered
  }
}

void Lane::finish_issue(std::uint64_t ticket) noexcept {
  issued_.store(ticket, std::memory_order_seq_cst);
  if (least_awaited_.load(std::memory_order_seq_cst) > ticket) return;
  {
    const std::lock_guard lock(sleep_mutex_);
    least_awaited_.store(kNoTicket, std::memory_order_relaxed);  // they say it again
  }
  issue_advanced_.notify_all();
}

void Lane::wait_issued(std::uint64_t ticket) {
  const auto is_there = [&] { return issued_.load(std::memory_order_seq_cst) >= ticket; };
  if (spin_until(is_there)) return;
  std::unique_lock lock(sleep_mutex_);
  while (true) {
    const std::uint64_t least = std::min(least_awaited_.load(std::memory_order_relaxed), ticket);
    least_awaited_.store(least, std::memory_order_seq_cst);
    if (is_there()) return;  // asked after it was said, so that the worker cannot miss both
    issue_advanced_.wait(lock);
  }
}

void Lane::prepare_fork() {
  while (true) {
    wait_issued(mark());  // without the lock, which the worker may need
    mutex_.lock();
    if (is_queue_empty()) break;
    mutex_.unlock();
  }
  if (is_inline_ || completed_.load() == issued_.load()) return;
  try {
    ask_device([&] { device_.synchronize_stream(stream_); });
  } catch (const Error& error) {
    note_error(error, issued_.load());
  }
  complete(issued_.load());
}

void Lane::resume_parent() { mutex_.unlock(); }

// The worker is the parent's alone; so are those who wait.
void Lane::resume_child() {
  if (has_worker_) {
    new (&worker_) std::thread();
    has_worker_ = false;
  }
  new (&work_came_) std::condition_variable();
  new (&issue_advanced_) std::condition_variable();
  new (&sleep_mutex_) std::mutex();
  sleeping_workers_ = 0;
  least_awaited_ = kNoTicket;
  is_of_parent_ = !is_inline_;
  mutex_.unlock();
}

// Also where what it did has failed.
bool Lane::is_over(std::uint64_t ticket) noexcept {
  return has_ended(ticket) || work_.failure_at(ticket) != nullptr;
}

// Calls come to submit() from now on instead of running directly.
void Lane::begin_end() noexcept {
  is_stopped_.store(true);
  awaits_.store(true);
}

// Without waiting for the lock: whoever has it may be in a kernel that never ends.
bool Lane::stop(core::EndClock::time_point deadline) noexcept {
  constexpr std::chrono::microseconds kPause{100};
  begin_end();
  while (!is_over(mark())) {
    if (core::EndClock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  ends_.store(true);
  { const std::lock_guard lock(sleep_mutex_); }
  work_came_.notify_all();
  if (worker_.joinable() && worker_.get_id() != std::this_thread::get_id()) worker_.join();
  return true;
}

}  // namespace loci::eager
