#include "tools/conformance/convolution.h"

#include <algorithm>
#include <vector>

#include "tools/conformance/window.h"

namespace loci::conformance {
namespace {

WindowRow row_of(const Convolution& op, std::size_t d) {
  const int axis = static_cast<int>(d) + 2;
  return {op.x[axis], op.filter[axis], op.options.strides[d], op.options.dilations[d]};
}

auto placed(const Convolution& op, std::size_t d) {
  return place_windows(row_of(op, d), op.options.paddings, d, op.options.padding_algorithm);
}

// Returns true if the op's bound allows for Winograd's method.
bool may_be_transformed(const Convolution& op, DType dtype) {
  const Conv2dOptions& options = op.options;
  const std::vector<std::int64_t> ones{1, 1};
  return dtype == kFloat32 && op.filter[2] == 3 && op.filter[3] == 3 && op.filter[1] >= 24 &&
         options.groups == 1 && options.strides == ones && options.dilations == ones;
}

// The largest |x| of each channel within 3 pixels of the window of a result.
std::vector<Real> maxima_near(const Convolution& op, const Array& x, const Index& result) {
  const auto [before] = window_start(op);
  const std::int64_t begin[2] = {result[2] - before[0] - 3, result[3] - before[1] - 3};
  std::vector<Real> maxima(static_cast<std::size_t>(op.x[1]));
  for (std::int64_t i = 0; i < op.x[1] * 81; ++i) {
    const std::int64_t row = begin[0] + i / 9 % 9;
    const std::int64_t column = begin[1] + i % 9;
    if (row < 0 || row >= op.x[2] || column < 0 || column >= op.x[3]) continue;
    Real& most = maxima[static_cast<std::size_t>(i / 81)];
    most = std::max(most, std::abs(x.at({result[0], i / 81, row, column})));
  }
  return maxima;
}

// The largest |filter| of each channel.
std::vector<Real> maxima_of(const Convolution& op, const Array& filter, std::int64_t index) {
  std::vector<Real> maxima;
  for (std::int64_t channel = 0; channel < op.filter[1]; ++channel) {
    Real most = 0;
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      most = std::max(most, std::abs(filter.at({index, channel, tap / 3, tap % 3})));
    }
    maxima.push_back(most);
  }
  return maxima;
}

// Widens the slack by the error that the op allows for Winograd's method.
void allow_transforms(const Convolution& op, const Arrays& in, Expected* out) {
  constexpr Real kGrowth = 565;
  const auto roundings = static_cast<Real>(op.filter[1] + 18);
  std::vector<std::vector<Real>> filters;
  for (std::int64_t i = 0; i < op.filter[0]; ++i) filters.push_back(maxima_of(op, in[1], i));
  const std::int64_t results = out->shape[2] * out->shape[3];
  for (std::int64_t i = 0; i < out->shape[0] * results; ++i) {
    Index at{i / results, 0, i % results / out->shape[3], i % out->shape[3]};
    const std::vector<Real> maxima = maxima_near(op, in[0], at);
    for (; at[1] < op.filter[0]; ++at[1]) {
      const std::vector<Real>& filter = filters[static_cast<std::size_t>(at[1])];
      Real sum = op.bias ? std::abs(in[2].at({at[1]})) : 0;
      for (std::size_t c = 0; c < maxima.size(); ++c) sum += kGrowth * maxima[c] * filter[c];
      Real& slack = out->slack[out->offset(at)];
      slack = std::max(slack, roundings * sum);
    }
  }
}

}  // namespace

Shape result_shape(const Convolution& op) {
  return {op.x[0], op.filter[0], placed(op, 0).count, placed(op, 1).count};
}

WindowStart window_start(const Convolution& op) {
  return {{placed(op, 0).before, placed(op, 1).before}};
}

Expected convolution(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, result_shape(op));
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(out, in[0].at(x) * in[1].at(filter));
  });
  if (op.bias) {
    const Shape shape = result_shape(op);
    for (std::size_t o = 0; o < static_cast<std::size_t>(shape.numel()); ++o) {
      const Index index = index_of(shape, o);
      sums.add(index, in[2].at({index[1]}));
    }
  }
  Expected out = sums.finish();
  if (may_be_transformed(op, in[0].dtype)) allow_transforms(op, in, &out);
  return out;
}

}  // namespace loci::conformance
