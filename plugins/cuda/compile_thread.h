// A thread that compiles while others run.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace loci::cuda {

// Started by the first job. Jobs run one after the other. Any thread may call post().
class CompileThread {
 public:
  // Gets whether its result is not wanted any more, and may end early then. Throws nothing.
  using Job = std::function<void(const std::atomic<bool>& is_cancelled)>;

  CompileThread();
  ~CompileThread();
  CompileThread(const CompileThread&) = delete;
  CompileThread& operator=(const CompileThread&) = delete;

  // Throws, and runs nothing, where no thread can be started.
  void post(Job job);
  // Cancels all jobs, and returns when each has run or ended. What is posted later is cancelled.
  // Called before the process's libraries end, too: a compiler must not run any more then.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loci::cuda
