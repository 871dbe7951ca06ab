// The gradient of a call as a list of calls.
//
// An op's gradient is a function that writes ops (see framework/ops/grad_context.h). What it writes
// depends on dtypes, shapes and attributes only, so it is written once for all calls of a plan, and
// backward() just runs the list.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/attribute.hpp>
#include <loci/op_call.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/eager/call_plan.h"
#include "framework/ops/call_list.h"

namespace loci::eager {

// Values by number: the call's flat inputs, its flat outputs, the gradients of those, and then what
// the steps compute.
class GradientScript {
 public:
  // For the gradients of those flat inputs, from those of those flat outputs: bit i is argument i;
  // arguments beyond 63 always count.
  GradientScript(const CallPlan& plan, std::uint64_t wanted, std::uint64_t given);

  // A gradient by number of its value; of rows, if `rows` is one. -1: there is none.
  struct Result {
    std::int32_t value = -1;
    std::int32_t rows = -1;
  };
  // The gradients by flat input.
  [[nodiscard]] const std::vector<Result>& results() const { return results_; }
  // The inputs and outputs, by number of their value, whose elements the steps read.
  [[nodiscard]] const std::vector<std::int32_t>& reads() const { return reads_; }
  // Those of which they read dtype and shape alone.
  [[nodiscard]] const std::vector<std::int32_t>& measures() const { return measures_; }
  [[nodiscard]] std::size_t value_count() const { return value_count_; }

  using Values = InlineList<Tensor, 8>;
  // Computes what the steps add to `values`, of value_count(). Afterwards those of the results are
  // there; others may be gone.
  void run(Values& values) const;

  struct Step {
    ops::ListedCall call;
    std::vector<bool> is_last_use = {};  // by flat input: nothing after it reads the value
    // The plan of the first run, where it serves all runs; written once.
    mutable std::shared_ptr<const CallPlan> plan = {};
    mutable std::unique_ptr<std::once_flag> planned = std::make_unique<std::once_flag>();
  };

 private:
  void note_reads(std::size_t argument_count);
  void note_last_uses();
  static void forget_last_used(const Step& step, Values& values);
  static void run_step(const Step& step, Values& values);

  std::vector<Step> steps_;
  std::vector<Result> results_;
  std::vector<std::int32_t> reads_;
  std::vector<std::int32_t> measures_;
  std::size_t value_count_ = 0;
};

}  // namespace loci::eager
