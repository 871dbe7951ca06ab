// The object that an Executor handle refers to.
#pragma once

#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <memory>
#include <vector>

#include "framework/core/context.h"
#include "framework/dispatch/kernel_cache.h"
#include "framework/executor/executor_stage.h"
#include "framework/executor/feed_buckets.h"
#include "framework/executor/plan_cache.h"
#include "framework/planning/plan_compiler.h"
#include "framework/planning/rewritten_programs.h"

namespace loci::executor {

// Thread-safe.
class ExecutorImpl {
 public:
  ExecutorImpl(const Place& place, CompileOptions options, Scope scope);

  std::vector<Tensor> run(const Program& program, const Feed& feed,
                          const std::vector<Fetch>& fetch);
  // The plan that run() would use.
  std::shared_ptr<const execution::Plan> plan(const Program& program, const Feed& feed,
                                              const std::vector<Fetch>& fetch);

  // Implements inspect::capture_problems().
  std::vector<inspect::CaptureProblem> capture_problems(const Program& program, const Feed& feed,
                                                        const std::vector<Fetch>& fetch);

  [[nodiscard]] const Place& place() const { return device_.place(); }
  [[nodiscard]] const Scope& scope() const { return scope_; }
  [[nodiscard]] const FeedBuckets& buckets() const { return buckets_; }
  [[nodiscard]] const PlanCache& plans() const { return plans_; }
  [[nodiscard]] const dispatch::KernelCache& kernels() const { return kernels_; }

 private:
  std::vector<Tensor> run_filled(const Program& program, const Feed& feed,
                                 const std::vector<Fetch>& fetch);
  std::vector<Tensor> run_plan(const Program& program, const Feed& feed,
                               const std::vector<Fetch>& fetch);
  // The error of a run that got no memory, with the placement that would fit in its details.
  [[nodiscard]] Error advised(const Error& error, const Program& program, const Feed& feed,
                              const std::vector<Fetch>& fetch);
  // Runs a stage and then the rest. `feed` is given to the first one, `before` to later ones.
  void run_stage(ExecutorStage& stage, const Feed* feed, execution::PlanRun* before,
                 std::vector<Tensor>& fetched, execution::StageScopes& scopes);
  // Serves GraphCapture::kRequired: throws Error(kUnsupported) from the second run of the plan on.
  void require_capturable_again(const execution::Plan& plan);
  // After a run of a plan whose launches were to be measured: later runs have one for several
  // threads, if that is faster.
  void consider_cores(const Program& program, const Feed& feed, const std::vector<Fetch>& fetch,
                      const execution::Plan& plan);
  // Bind the run to the executor's scope, see PlanRun.
  bool bind_scope(execution::PlanRun& run);
  void require_scope(execution::PlanRun& run);
  [[nodiscard]] planning::PlanRequest new_request();
  [[nodiscard]] planning::PlanRequest new_request(const Program& program, const Feed& feed,
                                                  const std::vector<Fetch>& fetch);

  void require_current_context() const;
  std::vector<Tensor> run_plainly(const Program& program, const Feed& feed,
                                  const std::vector<Fetch>& fetch);
  // Runs under the thread's recorder of runs, which takes the run or looks on.
  std::vector<Tensor> run_recorded(const Program& program, const Feed& feed,
                                   const std::vector<Fetch>& fetch);
  // Within a capture: the run is the graph's.
  void record(const Program& program, const Feed& feed, const std::vector<Fetch>& fetch);

  core::ContextUse use_;  // first, so that what follows ends within it
  device::Device& device_;
  CompileOptions options_;
  FeedBuckets buckets_;  // those of the options
  Scope scope_;
  dispatch::KernelCache kernels_;
  planning::RewrittenPrograms rewritten_;
  PlanCache plans_;
};

}  // namespace loci::executor
