// A queue of tasks in order: a stream.
//
// A queued device's queue hands tasks to the device's stream on the calling thread. An inline
// device's queue gives them to a worker thread of its own, except that small ones which nothing
// keeps waiting run on the calling thread. A task that the host has to wait for before it can be
// handed over (a result of an inline device, a value read on the host, a copy of memory that the
// device has no direct way to) goes to the worker on every queue, and what follows stays behind it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "framework/core/context.h"
#include "framework/core/process_end.h"
#include "framework/eager/kept_memory.h"
#include "framework/eager/stream_work.h"
#include "framework/eager/task_failure.h"
#include "framework/eager/worker.h"

namespace loci::eager {

class WorkRecorder;

// Lives as long as its context. Thread-safe.
class Queue final : public tensor::WorkQueue, private Worker::Taker {
 public:
  // How tasks that could be handed over at once go: on the calling thread, or by the worker as all
  // others, for copies that the host may have to wait for.
  enum class Issue { kAtOnce, kByWorker };

  // On the device's default stream, or on one of its own with that priority, which the device has.
  Queue(device::Device& device, bool is_default, Issue issue = Issue::kAtOnce,
        std::int32_t priority = 0);

  [[nodiscard]] device::Device& device() const { return device_; }
  [[nodiscard]] const core::Context& context() const { return context_; }
  [[nodiscard]] std::int32_t priority() const { return priority_; }
  // True if tasks run on a thread of the host.
  [[nodiscard]] bool is_inline() const noexcept { return is_inline_; }
  // Null on an inline device without streams.
  [[nodiscard]] loci_stream* stream() const { return stream_.handle(); }

  // True if the queue lets a small op run on the calling thread: it is idle, and awaits nothing.
  [[nodiscard]] bool is_free() const noexcept {
    return is_inline_ && worker_.is_idle() && !awaits_.load(std::memory_order_acquire);
  }
  // Takes the task over, or gives it to the recorder. Waits while the queue is full.
  void submit(Task& task);
  // While there is a recorder, it gets all work that the queue is given.
  void set_recorder(std::shared_ptr<WorkRecorder> recorder) noexcept;
  [[nodiscard]] bool has_recorder() const noexcept {
    return has_recorder_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::shared_ptr<WorkRecorder> recorder() const noexcept {
    if (!has_recorder()) [[likely]]
      return nullptr;
    const std::lock_guard lock(mutex_);
    return recorder_;
  }
  // Part of a batch that the queue runs: calls the function in stream order. What it throws is the
  // batch's error on an inline device, and the stream's on a queued one.
  void call_on_host(const std::shared_ptr<HostFunction>& function, const void* site,
                    std::uint64_t correlation);
  // While an exception is caught that the task ended with: whoever waits for its outputs meets it.
  void fail(Task& task) noexcept;
  // A ticket of all that has been enqueued.
  [[nodiscard]] std::uint64_t mark();
  // Work that is enqueued from now on waits for that task.
  void wait_for(const tensor::Ticket& ticket);

  [[nodiscard]] bool has_ended(std::uint64_t ticket) noexcept override;
  void wait(std::uint64_t ticket) override;
  [[nodiscard]] std::shared_ptr<tensor::Failure> outcome(std::uint64_t ticket) noexcept override;
  [[nodiscard]] std::shared_ptr<tensor::Failure> known_failure(
      std::uint64_t ticket) const override {
    return stream_.issued().failure_at(ticket);
  }
  // Not work of another device, even where that could wait: this may fail later, and nobody who
  // asks the other device would be told.
  [[nodiscard]] bool can_precede(const device::Device& device) const noexcept override {
    return !is_inline_ && &device_ == &device;
  }
  [[nodiscard]] bool is_issued(std::uint64_t ticket) const noexcept override {
    return worker_.done() >= ticket;
  }
  void wait_issued(std::uint64_t ticket) override { worker_.wait_done(ticket); }
  void order_before(loci_stream* later) override { stream_.order_before(later); }
  void keep(std::uint64_t ticket, memory::Buffer buffer) noexcept override;
  // Waits for everything, whatever becomes of it, and for the worker to let go of the tensors of
  // it.
  void settle() noexcept;
  // Likewise. Throws the first failure that nobody has been told of.
  void synchronize();

  // Around fork(): nothing is under way, and no lock is held, in the child, to which devices other
  // than inline ones do not belong.
  void prepare_fork();
  void resume_parent();
  void resume_child();
  // At the process's end: the results of tasks fail from now on.
  void begin_end() noexcept;
  // Likewise, and what is queued may end until the deadline, and the worker ends after it. Whether
  // all has ended; the worker is left alone otherwise.
  [[nodiscard]] bool stop(core::EndClock::time_point deadline) noexcept;
  // Its device is lost and replaced: what is queued fails, as all does that comes from now on, and
  // what the queue has of the device goes back.
  void leave_device() noexcept;
  // With its context, once all has ended: the worker ends.
  void end() noexcept;

 private:
  // Tasks that a device may be behind: its own queue is not ours to measure.
  static constexpr std::uint64_t kMostAhead = 4096;

  [[nodiscard]] bool is_over(std::uint64_t ticket) noexcept;
  [[nodiscard]] bool can_issue(const Task& task) const;
  [[nodiscard]] bool can_follow(const Dependency& dependency) const;
  void refuse(Task& task) noexcept;
  void make_room(std::unique_lock<std::mutex>& lock);
  void enqueue_now(Task& task, std::uint64_t ticket);
  void skip(std::uint64_t ticket) noexcept;
  void issue(Task& task) noexcept;
  void launch_host(Task& task);
  void run_behind_stream(Task& task) noexcept;
  [[nodiscard]] std::shared_ptr<tensor::Failure> failed_source(const Task& task) const;
  void enqueue_after(Task& task, const std::shared_ptr<tensor::Failure>& earlier) noexcept;
  [[nodiscard]] std::shared_ptr<tensor::Failure> await_before(Task& task) noexcept;
  [[nodiscard]] std::shared_ptr<tensor::Failure> await_inputs(Task& task) noexcept;
  void take(Task task, std::uint64_t ticket) noexcept override;
  void hand_over(Task& task, std::uint64_t ticket,
                 const std::shared_ptr<tensor::Failure>& earlier) noexcept;
  void begin_handover(Task& task, std::uint64_t ticket);
  void hold_for_device(Task& task, std::uint64_t ticket) noexcept;
  void wait_instead_of_holding() noexcept;
  void throttle() noexcept;
  std::shared_ptr<tensor::Failure> note_error(const Error& error, std::uint64_t ticket) noexcept;
  void release_ended() noexcept;
  [[nodiscard]] bool is_releasing(std::uint64_t ticket) const noexcept;

  const core::Context& context_{core::Context::current()};
  device::Device& device_;
  const bool is_inline_;
  const Issue issue_;
  const std::int32_t priority_;

  mutable std::mutex mutex_;         // of enqueuing, and of the stream
  tensor::Tickets awaited_;          // by the next task
  std::atomic<bool> awaits_{false};  // whether there are any
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> has_recorder_{false};
  std::shared_ptr<WorkRecorder> recorder_;
  bool is_of_parent_ = false;  // the device's work is that of the process that forked this one

  StreamWork stream_;
  Worker worker_{*this};  // what it is done with has been run, or handed to the device
  std::atomic<std::uint64_t> releasing_{0};  // the ticket whose task's tensors are let go of
  KeptMemory kept_;
  UntoldFailure untold_;
};

}  // namespace loci::eager
