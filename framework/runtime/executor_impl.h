// What an Executor handle refers to: the plan cache and the run.
#pragma once

#include <cstdint>
#include <loci/executor.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/dispatch/kernel_cache.h"
#include "framework/runtime/frame.h"
#include "framework/runtime/plan_compiler.h"

namespace loci::runtime {

// Thread-safe.
class ExecutorImpl {
 public:
  ExecutorImpl(const Place& place, CompileOptions options, Scope scope);

  std::vector<Tensor> run(const Program& program, const Feed& feed,
                          const std::vector<Fetch>& fetch);
  // The plan that run() would use.
  std::shared_ptr<const Plan> plan(const Program& program, const Feed& feed,
                                   const std::vector<Fetch>& fetch);

  [[nodiscard]] const Place& place() const { return device_.place(); }
  [[nodiscard]] const Scope& scope() const { return scope_; }

 private:
  struct Entry {
    std::uint64_t uid;
    std::uint64_t version;
    std::shared_ptr<const Plan> plan;
  };

  std::vector<Tensor> run_plan(const Program& program, const Feed& feed,
                               const std::vector<Fetch>& fetch);
  // The error of a run that got no memory, with the placement that would fit in its details.
  [[nodiscard]] Error advised(const Error& error, const Program& program, const Feed& feed,
                              const std::vector<Fetch>& fetch);
  // Runs a plan and then its rest. `feed` is given to the first stage, `before` to later ones.
  void run_stage(const Plan& plan, std::unique_ptr<Frame> frame, const Feed* feed,
                 const Frame* before, std::vector<Tensor>& fetched);
  std::shared_ptr<const Plan> next_stage(const Plan& plan, const Frame& frame);
  // As Frame::bind_scope, of the executor's scope.
  bool bind_scope(Frame& frame);
  // A frame of the plan that points at the scope's variables.
  std::unique_ptr<Frame> bound_frame(const Plan& plan);
  [[nodiscard]] PlanRequest new_request();
  [[nodiscard]] PlanRequest new_request(const Program& program, const Feed& feed,
                                        const std::vector<Fetch>& fetch);

  std::shared_ptr<const Plan> cached(const Program& program, const Feed& feed,
                                     const std::vector<Fetch>& fetch);
  std::shared_ptr<const Plan> compile(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch);
  void forget(const std::shared_ptr<const Plan>& plan);

  device::Device& device_;
  CompileOptions options_;
  Scope scope_;
  dispatch::KernelCache kernels_;
  std::mutex mutex_;
  std::vector<Entry> entries_;  // the latest used first
};

}  // namespace loci::runtime
