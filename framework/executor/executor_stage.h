// One stage of a run of an executor: what was fed goes in, what is fetched comes out.
#pragma once

#include <loci/executor.hpp>
#include <vector>

#include "framework/execution/plan_run.h"

namespace loci::executor {

// A stage belongs to one thread. All functions throw Error.
class ExecutorStage {
 public:
  // `fetched` has a place for each fetch of the caller.
  ExecutorStage(const execution::Plan& plan, std::vector<Tensor>& fetched)
      : fetched_(fetched), run_(plan) {}

  [[nodiscard]] execution::PlanRun& run() { return run_; }

  // Binds the fed tensors, or copies those that go into persistable variables, and those that
  // share memory with such, so that what the run changes does not change what was fed.
  void bind_feeds(const Feed& feed);
  // Makes the tensors of the fetches.
  void bind_fetches();
  // Copies what was not computed in them.
  void copy_fetches();

 private:
  void copy_into_persistable(const execution::PlanFeed& planned, void* data);

  std::vector<Tensor>& fetched_;
  std::vector<Tensor> copies_;  // of feeds
  execution::PlanRun run_;      // the last, so that it has waited when those are freed
};

}  // namespace loci::executor
