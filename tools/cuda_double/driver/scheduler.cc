#include "tools/cuda_double/driver/scheduler.h"

#include <thread>
#include <utility>

namespace loci::cuda_double {

Scheduler::Scheduler(std::mutex& mutex, std::uint64_t seed, std::uint64_t latency_us,
                     SkipQuestion skip, FailureHandler failed)
    : mutex_(mutex),
      seed_(seed),
      latency_us_(latency_us),
      random_(seed),
      skip_(std::move(skip)),
      failed_(std::move(failed)) {}

void Scheduler::submit(const TaskPtr& task, const std::vector<TaskPtr>& dependencies) {
  for (const auto& dependency : dependencies) {
    if (dependency == nullptr || dependency->done) continue;
    dependency->dependents.push_back(task);
    ++task->unmet;
  }
  if (task->unmet == 0) make_ready(task);
}

void Scheduler::wait(std::unique_lock<std::mutex>& lock, const TaskPtr& task) {
  if (task == nullptr || task->done) return;
  ++waiting_;
  done_changed_.wait(lock, [&] { return task->done; });
  --waiting_;
}

// Marks are done at once, and what hangs on them may be: a list, because chains are long.
void Scheduler::make_ready(const TaskPtr& task) {
  std::vector<TaskPtr> found = {task};
  while (!found.empty()) {
    const TaskPtr next = found.back();
    found.pop_back();
    if (next->work && (next->runs_after_errors || !skip_(*next))) {
      if (next->is_host_function && std::exchange(has_host_function_, true)) {
        ready_host_functions_.push_back(next);
      } else {
        offer(next);
      }
      continue;
    }
    complete(next);
    for (const auto& dependent : next->dependents) {
      if (--dependent->unmet == 0) found.push_back(dependent);
    }
    next->dependents.clear();
  }
}

void Scheduler::offer(const TaskPtr& task) {
  ready_.push_back(task);
  if (idle_ > 0) ready_changed_.notify_one();
  if (static_cast<int>(ready_.size()) > idle_ && threads_ < kMostThreads) start_thread();
}

void Scheduler::offer_next_host_function() {
  has_host_function_ = !ready_host_functions_.empty();
  if (!has_host_function_) return;
  const TaskPtr next = ready_host_functions_.front();
  ready_host_functions_.pop_front();
  offer(next);
}

void Scheduler::complete(const TaskPtr& task) {
  if (task->afterwards) task->afterwards();
  task->work = nullptr;
  task->afterwards = nullptr;
  task->done_at = std::chrono::steady_clock::now();
  task->done = true;
  if (waiting_ > 0) done_changed_.notify_all();
}

void Scheduler::start_thread() {
  ++threads_;
  // Never joined: it may be inside a function of the program when that ends.
  std::thread([this] { work(); }).detach();
}

TaskPtr Scheduler::choose() {
  std::size_t index = 0;
  if (seed_ != 0) index = random_() % ready_.size();
  const TaskPtr task = ready_[index];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(index));
  return task;
}

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool has_work =
        ready_changed_.wait_for(lock, kIdleTime, [this] { return !ready_.empty(); });
    --idle_;
    if (!has_work) break;
    run(lock, choose());
  }
  --threads_;
}

void Scheduler::run(std::unique_lock<std::mutex>& lock, const TaskPtr& task) {
  const auto delay = latency_us_ == 0 ? 0 : random_() % (latency_us_ + 1);
  lock.unlock();
  if (delay != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
  try {
    task->work(*task);
    lock.lock();
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    failed_(*task);
  }
  if (task->is_host_function) offer_next_host_function();
  complete(task);
  const auto dependents = std::move(task->dependents);
  task->dependents.clear();
  for (const auto& dependent : dependents) {
    if (--dependent->unmet == 0) make_ready(dependent);
  }
}

}  // namespace loci::cuda_double
