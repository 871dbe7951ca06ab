// sum of lists, square_error_cost.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

const Shape kSumShapes[] = {{}, {1}, {0, 3}, {17}, {3, 5}, {2, 1, 3, 2, 1, 2, 1, 2}, {65, 129}};

// n terms: n - 1 sums in any order.
std::vector<Expected> sum_reference(const Arrays& in) {
  const DType dtype = in[0].dtype;
  const bool floating = is_floating(dtype);
  Expected out =
      floating ? Expected::bounded(dtype, in[0].shape) : Expected::exact(dtype, in[0].shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Real magnitude = 0;
    for (const Array& x : in) {
      out.values[i] += x.values[i];
      magnitude += std::abs(x.values[i]);
    }
    if (floating) out.slack[i] = static_cast<Real>(in.size() - 1) * magnitude;
  }
  return {out};
}

Case sum_case(DType dtype, const Shape& shape, std::size_t count) {
  Generator values = integers(0, 40);
  if (is_floating(dtype)) values = uniform(-2, 2);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < count && shape.numel() <= 1000; ++i) all.push_back(i);
  return {.op = "sum",
          .variant = fmt::format("{} terms", count),
          .inputs = std::vector<Input>(count, Input{dtype, shape, values}),
          .build = [](const Variables& in) { return Variables{sum(in)}; },
          .reference = sum_reference,
          .differentiate = all};
}

// One value several times: each occurrence counts, in the gradient too.
Case repeated_case(DType dtype) {
  return {.op = "sum",
          .variant = "x twice, y",
          .inputs = {{dtype, {3, 5}, uniform(-2, 2)}, {dtype, {3, 5}, uniform(-2, 2)}},
          .build =
              [](const Variables& in) {
                return Variables{sum(Variables{in[0], in[1], in[0]})};
              },
          .reference =
              [](const Arrays& in) {
                return sum_reference({in[0], in[1], in[0]});
              },
          .differentiate = {0, 1}};
}

// Whole numbers that 16 bits would lose one by one, but not if the sum is rounded once.
Case rounded_once_case(DType dtype) {
  Case result = sum_case(dtype, {9}, 9);
  result.variant = "rounded once";
  const Real unit = 1 / precision(dtype).roundoff();
  for (Input& input : result.inputs) input.values = cycle({1, 0.5L, 0.25L});
  result.inputs[0].values = cycle({unit, unit / 2});
  result.differentiate.clear();
  result.reference = [](const Arrays& in) {
    std::vector<Expected> out = sum_reference(in);
    out[0].slack.clear();
    return out;
  };
  return result;
}

// The difference is rounded, then its square: twice the error of the first, and one.
std::vector<Expected> square_error(const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, in[0].shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real difference = in[0].values[i] - in[1].values[i];
    out.values[i] = difference * difference;
    out.slack[i] = 3 * out.values[i];
  }
  return {out};
}

Case square_error_case(DType dtype, const Shape& shape) {
  const bool small = shape.numel() <= 1000;
  return {.op = "square_error_cost",
          .inputs = {{dtype, shape, uniform(-2, 2)}, {dtype, shape, uniform(-2, 2)}},
          .build = [](const Variables& in) { return Variables{square_error_cost(in[0], in[1])}; },
          .reference = square_error,
          .differentiate = small ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{}};
}

}  // namespace

void add_sum_cases(Suite& suite) {
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const Shape& shape : kSumShapes) {
      for (const std::size_t count : {1U, 2U, 7U}) suite.add(sum_case(dtype, shape, count));
    }
  }
  for (const DType dtype : kFloatTypes) {
    suite.add(repeated_case(dtype));
    for (const Shape& shape : kSumShapes) suite.add(square_error_case(dtype, shape));
  }
  suite.add(rounded_once_case(kFloat16));
  suite.add(rounded_once_case(kBFloat16));
}

}  // namespace loci::conformance
