#include "tests/gpu_suite/run_steps.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace loci::gpu_suite {
namespace {

class Runner {
 public:
  Runner(const std::vector<Step>& steps, const RunSettings& settings,
         const std::function<void(const StepResult&)>& told)
      : steps_(steps), settings_(settings), told_(told), results_(steps.size()) {}

  void run_together(int jobs) {
    std::vector<std::thread> threads;
    for (int i = 1; i < jobs; ++i) threads.emplace_back([this] { run_next(); });
    run_next();
    for (std::thread& thread : threads) thread.join();
  }

  void run_those_alone() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].alone) run(i);
    }
  }

  std::vector<StepResult> take() { return std::move(results_); }

 private:
  void run_next() {
    for (std::size_t i = next_++; i < steps_.size(); i = next_++) {
      if (!steps_[i].alone) run(i);
    }
  }

  void run(std::size_t index) {
    results_[index] = run_step(steps_[index], settings_);
    const std::lock_guard lock(telling_);
    told_(results_[index]);
  }

  const std::vector<Step>& steps_;
  const RunSettings& settings_;
  const std::function<void(const StepResult&)>& told_;
  std::vector<StepResult> results_;
  std::atomic<std::size_t> next_{0};
  std::mutex telling_;
};

}  // namespace

std::vector<StepResult> run_steps(const std::vector<Step>& steps, const RunSettings& settings,
                                  int jobs, const std::function<void(const StepResult&)>& told) {
  Runner runner(steps, settings, told);
  runner.run_together(jobs);
  runner.run_those_alone();
  return runner.take();
}

}  // namespace loci::gpu_suite
