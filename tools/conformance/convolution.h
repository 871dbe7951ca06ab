// Convolutions in the reference's precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <loci/ops.hpp>
#include <vector>

#include "tools/conformance/case.h"

namespace loci::conformance {

struct Convolution {
  Shape x;
  Shape filter;
  Conv2dOptions options;
  bool bias = false;
  const char* variant = "";
};

[[nodiscard]] Shape result_shape(const Convolution& op);
// The part of the first row of windows that lies before the image, by axis.
struct WindowStart {
  std::int64_t before[2];
};
[[nodiscard]] WindowStart window_start(const Convolution& op);

// Calls visit(x index, filter index, result index) for every product of the convolution.
template <class Visit>
void for_each_product(const Convolution& op, const Visit& visit) {
  const Conv2dOptions& options = op.options;
  const Shape result = result_shape(op);
  const Shape& filter = op.filter;
  const std::int64_t filters_per_group = filter[0] / options.groups;
  const auto [before] = window_start(op);
  for (std::size_t o = 0; o < static_cast<std::size_t>(result.numel()); ++o) {
    const Index to = index_of(result, o);
    for (std::size_t k = 0; k < static_cast<std::size_t>(filter.numel() / filter[0]); ++k) {
      const Index tap = index_of({filter[1], filter[2], filter[3]}, k);
      const std::int64_t channel = to[1] / filters_per_group * filter[1] + tap[0];
      const std::int64_t y = to[2] * options.strides[0] - before[0] + tap[1] * options.dilations[0];
      const std::int64_t x = to[3] * options.strides[1] - before[1] + tap[2] * options.dilations[1];
      if (y < 0 || y >= op.x[2] || x < 0 || x >= op.x[3]) continue;
      visit(Index{to[0], channel, y, x}, Index{to[1], tap[0], tap[1], tap[2]}, to);
    }
  }
}

// Sums of products that are collected in any order.
class Sums {
 public:
  Sums(DType dtype, const Shape& shape)
      : sums_(Expected::bounded(dtype, shape)), terms_(sums_.size()) {}

  void add(const Index& index, Real term) {
    const std::size_t i = sums_.offset(index);
    sums_.values[i] += term;
    sums_.slack[i] += std::abs(term);
    terms_[i] += 1;
  }
  // n terms: n roundings of sums and products.
  [[nodiscard]] Expected finish() {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_.slack[i] *= terms_[i] + 1;
    return sums_;
  }

 private:
  Expected sums_;
  std::vector<Real> terms_;
};

// conv2d of the first two arrays, and of the third where the op has a bias, within what the op
// allows for: where it may be, for Winograd's method.
[[nodiscard]] Expected convolution(const Convolution& op, const Arrays& in);

}  // namespace loci::conformance
