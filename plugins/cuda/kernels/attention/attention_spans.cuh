// Results are made here of what spans of keys left.
#pragma once

#include "kernels/attention/attention_arguments.h"
#include "kernels/attention/attention_rows.cuh"
#include "kernels/device/elements.cuh"
#include "kernels/device/fast_divmod.cuh"

namespace loci::cuda {

__device__ inline float joined(const AttentionArguments& op, std::int64_t item) {
  const std::int64_t row = quotient(item, op.columns);
  float largest = -INFINITY;
  for (std::int64_t span = 0; span < op.spans.value; ++span) {
    largest = fmaxf(largest, op.span_totals[(span * op.rows + row) * 2]);
  }
  float sum = 0;
  float result = 0;
  for (std::int64_t span = 0; span < op.spans.value; ++span) {
    const auto total = load_lanes<2>(op.span_totals + (span * op.rows + row) * 2);
    const float share = power_of_two(total.lanes[0] - shift_of(largest));
    sum = fmaf(share, total.lanes[1], sum);
    result = fmaf(share, op.span_results[span * op.rows * op.columns.value + item], result);
  }
  return sum == 0 && op.zeroes_hidden ? 0 : result / sum;
}

// Threads take turns at elements of the result.
template <class T>
__device__ void join_spans(const AttentionArguments& op) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < op.rows * op.columns.value; i += turn.step) {
    static_cast<T*>(op.out)[i] = narrowed<T>(joined(op, i));
  }
}

}  // namespace loci::cuda
