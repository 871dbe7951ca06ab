#include "compile_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace loci::cuda {
namespace {

// Signals of the process are for its own threads.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

// The threads that run, which end before what their jobs call into is destroyed: this object is
// made when the first of them is started, after the compiler was (see NvrtcLibrary::start()).
class RunningThreads {
 public:
  static RunningThreads& instance() {
    static RunningThreads threads;
    return threads;
  }
  ~RunningThreads() {
    if (::getpid() != process_) return;
    while (CompileThread* thread = any()) thread->stop();
  }
  RunningThreads(const RunningThreads&) = delete;
  RunningThreads& operator=(const RunningThreads&) = delete;

  void add(CompileThread* thread) {
    const std::lock_guard lock(mutex_);
    threads_.insert(thread);
  }
  void remove(CompileThread* thread) {
    const std::lock_guard lock(mutex_);
    threads_.erase(thread);
  }

 private:
  RunningThreads() = default;
  CompileThread* any() {
    const std::lock_guard lock(mutex_);
    return threads_.empty() ? nullptr : *threads_.begin();
  }

  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::set<CompileThread*> threads_;
};

}  // namespace

struct CompileThread::State {
  // False, and the job stays, after the end; likewise where no thread can be started, which throws.
  bool accept(Job& job, CompileThread* owner) {
    const std::lock_guard lock(mutex);
    if (is_cancelled) return false;
    if (!thread.joinable()) start(owner);
    jobs.push_back(std::move(job));
    return true;
  }

  void start(CompileThread* owner) {
    RunningThreads& threads = RunningThreads::instance();
    threads.add(owner);
    const BlockedSignals blocked;
    try {
      thread = std::thread([this] { run(); });
    } catch (...) {
      threads.remove(owner);  // it would be waited for at the process's end
      throw;
    }
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return !jobs.empty() || is_cancelled; });
      if (jobs.empty()) return;
      const Job job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job(is_cancelled);
      lock.lock();
    }
  }

  const pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::atomic<bool> is_cancelled{false};
  std::thread thread;
};

CompileThread::CompileThread() : state_(std::make_unique<State>()) {}

// In the child of a fork() the thread is not there, and what it waited on cannot be destroyed.
CompileThread::~CompileThread() {
  if (::getpid() != state_->process) {
    static_cast<void>(state_.release());
    return;
  }
  stop();
}

void CompileThread::post(Job job) {
  if (!state_->accept(job, this)) return job(state_->is_cancelled);
  state_->changed.notify_all();
}

void CompileThread::stop() {
  std::thread thread;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_cancelled = true;
    thread = std::move(state_->thread);
  }
  state_->changed.notify_all();
  if (!thread.joinable()) return;
  thread.join();
  RunningThreads::instance().remove(this);
}

}  // namespace loci::cuda
