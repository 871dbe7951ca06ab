// The extents, strides and the factor of the scores that attention and its gradients share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/softmax_row.h"

namespace loci::kernels {

enum AttentionSlot : std::uint32_t { kQuery, kKey, kValue, kMask };

// Extents, and the elements from one head's first to the next one's.
struct AttentionGeometry {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t width;        // of query and key, of one head
  std::int64_t value_width;  // of one head

  [[nodiscard]] std::int64_t query_row() const { return heads * width; }
  [[nodiscard]] std::int64_t value_row() const { return heads * value_width; }
};

// Where the mask of a score lies; a stride of 0 repeats.
struct MaskStrides {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t query = 0;
  std::int64_t key = 0;
};

inline MaskStrides mask_strides(sdk::Dims dims) {
  std::array<std::int64_t, 4> strides{};
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const std::size_t axis = i + 4 - dims.size();
    strides[axis] = dims[i] == 1 ? 0 : stride;
    stride *= dims[i];
  }
  return {strides[0], strides[1], strides[2], strides[3]};
}

struct AttentionOptions {
  explicit AttentionOptions(const sdk::OpDesc& op)
      : heads(op.attributes().integer("heads")),
        factor(op.attributes().real("factor")),
        zero_hidden(op.attributes().boolean("zero_hidden")) {}
  std::int64_t heads;
  double factor;
  bool zero_hidden;
};

template <class T>
struct AttentionShape {
  AttentionShape(const sdk::OpDesc& op, const AttentionOptions& options)
      : has_mask(op.has_input(kMask)), zeroes_hidden(has_mask && options.zero_hidden) {
    const std::int64_t heads = options.heads;
    const sdk::Dims query = op.input(kQuery).dims();
    const sdk::Dims value = op.input(kValue).dims();
    shape = {query[0], heads, query[1], value[1], query[2] / heads, value[2] / heads};
    if (has_mask) mask = mask_strides(op.input(kMask).dims());
    const double usual = 1 / std::sqrt(static_cast<double>(shape.width));
    factor = static_cast<sdk::compute_t<T>>(options.factor == 0 ? usual : options.factor);
  }

  AttentionGeometry shape{};
  bool has_mask;
  bool zeroes_hidden;  // the weights of a query whose keys are all hidden; else they are NaN
  MaskStrides mask;
  sdk::compute_t<T> factor;
};

// Adds the mask of a query's keys, `stride` apart or one for all of them.
LOCI_INLINE inline void add_mask(const float* mask, std::int64_t stride, std::int64_t keys,
                                 float* scores) {
  if (stride == 0) {
    const float added = mask[0];
#pragma omp simd
    for (std::int64_t j = 0; j < keys; ++j) scores[j] += added;
    return;
  }
#pragma omp simd
  for (std::int64_t j = 0; j < keys; ++j) scores[j] += mask[j];
}

// The scores of a query become weights.
template <class C>
LOCI_INLINE inline void weigh_scores(C* scores, std::int64_t keys, bool zeroes_hidden) {
  constexpr C kHidden = -std::numeric_limits<C>::infinity();
  const C max = row_max(scores, keys);
  if (zeroes_hidden && max == kHidden) {
    // The maximum passes over NaN, which is to show up.
    const auto is_hidden = [](C score) { return score == kHidden; };
    if (std::all_of(scores, scores + keys, is_hidden)) {
      std::fill_n(scores, keys, C{0});
      return;
    }
  }
  softmax_row(scores, scores, keys, max);
}

}  // namespace loci::kernels
