// A thread that runs tasks in order, and what streams make of it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace loci::faulty {

// How many tasks of a queue have ended; outlives the queue.
class Progress {
 public:
  void step() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_all();
  }
  [[nodiscard]] bool reached(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    return ended_ >= count;
  }
  void wait(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t ended_ = 0;
};

// The moment when the first `count` tasks of a queue have ended; now, without a queue.
struct Mark {
  std::shared_ptr<Progress> progress;
  std::uint64_t count = 0;
  [[nodiscard]] bool reached() const { return progress == nullptr || progress->reached(count); }
  void wait() const {
    if (progress != nullptr) progress->wait(count);
  }
};

class TaskQueue {
 public:
  TaskQueue() : thread_([this] { run(); }) {}
  ~TaskQueue() {
    add(nullptr);
    thread_.join();
  }
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // Gives the moment when it will have ended.
  Mark add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++added_;
    changed_.notify_one();
    return {progress_, added_};
  }
  // Tasks that were added and did not begin count as ended, and are not run.
  void drop() {
    const std::lock_guard lock(mutex_);
    for (; !tasks_.empty(); tasks_.pop_front()) progress_->step();
  }

 private:
  // An empty task ends it.
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
      progress_->step();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::uint64_t added_ = 0;
  std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  std::thread thread_;
};

// The tasks of one stream, in a queue of its own or in one that all streams of a device share.
class StreamQueue {
 public:
  StreamQueue() : StreamQueue(nullptr) {}
  // Null: one of its own.
  explicit StreamQueue(std::shared_ptr<TaskQueue> shared)
      : queue_(shared != nullptr ? std::move(shared) : std::make_shared<TaskQueue>()) {}

  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    last_ = queue_->add(std::move(task));
  }
  void drop() { queue_->drop(); }
  // When the tasks of this stream have ended.
  [[nodiscard]] Mark mark() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<TaskQueue> queue_;
  Mark last_;
};

}  // namespace loci::faulty
