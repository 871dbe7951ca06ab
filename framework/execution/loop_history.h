// The values of a loop before its iterations, for its gradient.
//
// Kept are those of every k-th iteration, and between two of these the iterations are made again:
// with n iterations, k grows to about the root of n, and so does the number of what is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "framework/execution/block_run.h"
#include "framework/memory/allocator.h"

namespace loci::execution {

class LoopHistory {
 public:
  // Makes the values after an iteration from those before it.
  using Iterate =
      std::function<void(const std::vector<void*>& values, const std::vector<BlockResult>& next)>;

  // `values` are those of the loop.
  explicit LoopHistory(const std::vector<PlanResult>& values, Iterate iterate);

  // Makes the next iteration from `values`, the ones that it gave last, or at first those with
  // which the loop begins, which must stay where they are. Valid until the next call.
  std::vector<void*> advance(const std::vector<void*>& values);
  // The values before an iteration; to be asked for from the last iteration to the first. Valid
  // until the next call.
  std::vector<void*> values_before(std::int64_t iteration);
  // How many sets of values it holds.
  [[nodiscard]] std::size_t held() const { return kept_.size() + segment_.size() + spare_.size(); }

 private:
  struct Values {
    std::int64_t iteration = 0;  // before which they hold
    std::vector<void*> data;
    std::vector<memory::Buffer> buffers;  // empty for those with which the loop begins
  };

  Values make(std::int64_t iteration);
  void thin_out();
  void fill_segment(const Values& from, std::int64_t end);
  [[nodiscard]] std::vector<BlockResult> targets(const Values& values) const;

  const std::vector<PlanResult>& types_;
  Iterate iterate_;
  std::int64_t stride_ = 1;
  std::int64_t done_ = 0;        // iterations
  std::vector<Values> kept_;     // ascending
  std::vector<Values> segment_;  // after a kept one
  std::vector<Values> spare_;    // memory to use again
};

}  // namespace loci::execution
