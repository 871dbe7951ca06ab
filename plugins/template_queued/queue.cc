#include "queue.h"

#include <csignal>
#include <utility>

namespace sample_plugin {
namespace {

// Signals are for the threads of the host: one that begins meanwhile has all of them blocked.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void Mark::reach() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_reached_ = true;
  time_ = std::chrono::steady_clock::now();
  reached_.notify_all();
}

bool Mark::is_reached() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_reached_;
}

void Mark::wait() const {
  std::unique_lock<std::mutex> lock(mutex_);
  reached_.wait(lock, [this] { return is_reached_; });
}

std::chrono::steady_clock::time_point Mark::time() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return time_;
}

Queue::Queue() {
  const NoSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Queue::~Queue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Queue::add(std::function<void()> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

bool Queue::is_idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tasks_.empty();
}

void Queue::wait() const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty(); });
}

void Queue::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()>& task = tasks_.front();  // stays there while others are added
    lock.unlock();
    task();
    lock.lock();
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace sample_plugin
