// The implementation that a CapturedFunction handle refers to.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/captured_function.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/capture/captured_step.h"
#include "framework/core/context.h"
#include "framework/core/recent_map.h"

namespace loci::capture {

// Thread-safe: calls take turns.
class CapturedFunctionImpl {
 public:
  CapturedFunctionImpl(TensorFunction fn, CaptureOptions options);

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, const void* site);
  void prepare(const std::vector<Tensor>& example);
  [[nodiscard]] CaptureReport report() const;
  void reset();

 private:
  using Steps = core::RecentMap<std::unique_ptr<CapturedStep>>;

  // True for a call from the function itself, or for one that somebody else traces or captures.
  [[nodiscard]] bool is_within_another() const;
  // The step for inputs of that form, which is the latest used from now on.
  CapturedStep& step_for(CallForm form);
  // The form in which the inputs are captured. False if there are more rows than in any bucket.
  [[nodiscard]] bool fill_up(CallForm* form) const;
  void capture(CapturedStep& step, const std::vector<Tensor>& inputs);
  // Drops the steps that have not been used for longest until the rest is within the limit.
  void keep_to_limit(const CapturedStep& current);
  [[nodiscard]] std::uint64_t bytes() const;
  std::vector<Tensor> call_step(CapturedStep& step, const std::vector<Tensor>& inputs,
                                const void* site);

  core::ContextUse use_;  // first, so that what follows ends within it
  const TensorFunction fn_;
  const CaptureOptions options_;
  mutable std::mutex mutex_;
  std::atomic<std::thread::id> caller_;  // that has the mutex
  std::shared_ptr<GraphMemory> memory_;
  ToldReasons told_;  // also of steps that have gone
  Steps steps_;
  std::uint64_t step_bytes_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace loci::capture
