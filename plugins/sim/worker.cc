#include "plugins/sim/worker.h"

#include <sys/prctl.h>

#include <chrono>
#include <utility>

namespace loci::sim {

Worker::Worker(Failures& failures, ProfileSource& profile, PriorityGate& gate,
               const WorkerOptions& options)
    : failures_(failures),
      profile_(profile),
      gate_(gate),
      options_(options),
      random_(options.seed),
      thread_([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::enqueue(std::unique_ptr<Work> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    ++enqueued_;
  }
  changed_.notify_all();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return ended_ == enqueued_;
}

void Worker::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, end = enqueued_] { return ended_ >= end; });
}

void Worker::run() {
  // Modelled times are microseconds, and the kernel's default slack is fifty.
  prctl(PR_SET_TIMERSLACK, 1000);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::unique_ptr<Work> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    run_one(*work);
    work.reset();
    lock.lock();
    leave_gate();
    ++ended_;
    changed_.notify_all();
  }
}

void Worker::run_one(Work& work) noexcept {
  try {
    if (work.is_control()) return work.run();
    delay();
    if (!is_within_gate_) gate_.enter(options_.priority);
    is_within_gate_ = true;
    gate_.wait_turn(options_.priority);
    if (!failures_.enter_task(work.name())) return;
    const auto begin = std::chrono::steady_clock::now();
    work.run();
    std::this_thread::sleep_until(begin + work.duration());
    if (profile_.records_work()) {
      profile_.add(work.name(), work.facts(), options_.lane, begin,
                   std::chrono::steady_clock::now());
    }
  } catch (...) {
    failures_.keep_current(work.name(), work.facts().correlation);
  }
}

void Worker::leave_gate() {
  if (!is_within_gate_ || (!queue_.empty() && !queue_.front()->is_control())) return;
  gate_.leave(options_.priority);
  is_within_gate_ = false;
}

void Worker::delay() {
  if (options_.longest_delay.count() == 0) return;
  // Not a distribution of the library: the same seed means the same delays everywhere.
  const auto share = static_cast<double>(random_() >> 11) * 0x1p-53;
  std::this_thread::sleep_for(std::chrono::nanoseconds(
      static_cast<std::int64_t>(share * static_cast<double>(options_.longest_delay.count()))));
}

}  // namespace loci::sim
