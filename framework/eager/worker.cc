#include "framework/eager/worker.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/spin.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {
namespace {

// Longer than between two ops of a loop, shorter than anybody notices.
constexpr std::chrono::microseconds kSpin{20};
// Whoever finds the queue full goes on when so many have left it: to be woken costs as much as many
// small tasks.
constexpr std::uint64_t kRoom = Worker::kCapacity / 4;

}  // namespace

void Worker::start(const Place& place) {
  if (has_thread_) return;
  try {
    thread_ = std::thread([this, &context = core::Context::current()] { work(context); });
  } catch (const std::system_error& error) {
    core::raise(ErrorCode::kUnavailable,
                "the system gives no thread for what is queued at {}: {}; end some threads",
                place.to_string(), error.what());
  }
  has_thread_ = true;
}

void Worker::put(Task&& task, std::uint64_t ticket) noexcept {
  ring_.put(ticket, std::move(task));
  given_.store(ticket, std::memory_order_seq_cst);
}

void Worker::wake() noexcept {
  if (sleeping_threads_.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard sleep(sleep_mutex_); }
  work_came_.notify_one();
}

// In this order, so that the thread never takes it for one of its own.
void Worker::pass(std::uint64_t ticket) noexcept {
  done_.store(ticket, std::memory_order_seq_cst);
  given_.store(ticket, std::memory_order_release);
  wake_waiting(ticket);
}

void Worker::finish(std::uint64_t ticket) noexcept {
  done_.store(ticket, std::memory_order_seq_cst);
  wake_waiting(ticket);
}

// Looks after done_ was stored, as who waits looks at done_ after it has said what it waits for:
// one of the two sees the other.
void Worker::wake_waiting(std::uint64_t ticket) noexcept {
  if (least_awaited_.load(std::memory_order_seq_cst) > ticket) [[likely]]
    return;
  {
    const std::lock_guard lock(sleep_mutex_);
    least_awaited_.store(kNoTicket, std::memory_order_relaxed);  // they say it again
  }
  done_advanced_.notify_all();
}

void Worker::wait_done(std::uint64_t ticket) {
  const auto is_done = [&] { return done_.load(std::memory_order_seq_cst) >= ticket; };
  if (core::spin_until(kSpin, is_done)) return;
  std::unique_lock lock(sleep_mutex_);
  while (true) {
    const std::uint64_t least = std::min(least_awaited_.load(std::memory_order_relaxed), ticket);
    least_awaited_.store(least, std::memory_order_seq_cst);
    if (is_done()) return;  // asked after it was said, so that the thread cannot miss both
    done_advanced_.wait(lock);
  }
}

void Worker::wait_for_room() { wait_done(given() - kCapacity + kRoom); }

// In this order: pass() advances done_ first, so that what it passes never looks like a task.
bool Worker::next_is_there() const noexcept {
  const std::uint64_t given = given_.load(std::memory_order_seq_cst);
  return given > done_.load(std::memory_order_relaxed);
}

void Worker::work(core::Context& context) noexcept {
  const core::ContextSwitch inside(context);
  const tensor::LettingGo call(tensor::kStreamWork);
  while (true) {
    if (!core::spin_until(kSpin, [this] { return next_is_there() || ends_.load(); })) {
      std::unique_lock lock(sleep_mutex_);
      sleeping_threads_.store(1, std::memory_order_seq_cst);
      work_came_.wait(lock, [this] { return next_is_there() || ends_.load(); });
      sleeping_threads_.store(0, std::memory_order_relaxed);
    }
    if (!next_is_there()) return;  // it ends, and nothing is left
    const std::uint64_t ticket = done_.load(std::memory_order_relaxed) + 1;
    taker_.take(ring_.take(ticket), ticket);
  }
}

void Worker::forget_thread() noexcept {
  if (has_thread_) {
    new (&thread_) std::thread();
    has_thread_ = false;
  }
  new (&work_came_) std::condition_variable();
  new (&done_advanced_) std::condition_variable();
  new (&sleep_mutex_) std::mutex();
  sleeping_threads_ = 0;
  least_awaited_ = kNoTicket;
}

void Worker::end() noexcept {
  ends_.store(true);
  { const std::lock_guard lock(sleep_mutex_); }
  work_came_.notify_all();
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

}  // namespace loci::eager
