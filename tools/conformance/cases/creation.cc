// fill_constant, full_like and assign_value.
#include <fmt/format.h>

#include <algorithm>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

std::vector<Expected> filled(const Shape& shape, double value, DType dtype) {
  Expected expected = Expected::exact(dtype, shape);
  std::fill(expected.values.begin(), expected.values.end(), Real{value});
  return {expected};
}

Case fill_case(const Shape& shape, double value, DType dtype) {
  return {.op = "fill_constant",
          .variant = fmt::format("{}/{}/{}", dtype_name(dtype), shape.to_string(), value),
          .build = [=](const Variables&) { return Variables{fill_constant(shape, value, dtype)}; },
          .reference = [=](const Arrays&) { return filled(shape, value, dtype); }};
}

Case tensor_fill_case(const Shape& shape, double value, DType dtype, DType value_dtype) {
  return {
      .op = "fill_constant",
      .variant = fmt::format("{}/{} in a tensor", dtype_name(dtype), shape.to_string()),
      .inputs = {{value_dtype, {1}, cycle({Real{value}})},
                 {kInt32, {shape.rank()}, cycle(std::vector<Real>(shape.begin(), shape.end()))}},
      .build = [=](const Variables& in) { return Variables{fill_constant(in[1], in[0], dtype)}; },
      .reference =
          [=](const Arrays& in) {
            return filled(shape, static_cast<double>(in[0].values[0]), dtype);
          }};
}

Case full_like_case(const Shape& shape, double value, DType dtype) {
  return {.op = "full_like",
          .variant = fmt::format("{}", value),
          .inputs = {{dtype, shape, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{full_like(in[0], value)}; },
          .reference = [=](const Arrays&) { return filled(shape, value, dtype); }};
}

// Elements of either sign that every dtype rounds or wraps in its own way.
Case assign_case(const Shape& shape, DType dtype) {
  std::vector<double> values;
  std::vector<std::int64_t> integers;
  Expected expected = Expected::exact(dtype, shape);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i);
    if (is_floating(dtype)) {
      values.push_back(static_cast<double>(step) / 3 - 1);
      expected.values[i] = values.back();
    } else {
      integers.push_back(step * 7 - 3);
      expected.values[i] = static_cast<Real>(integers.back());
    }
  }
  return {.op = "assign_value",
          .variant = fmt::format("{}/{}", dtype_name(dtype), shape.to_string()),
          .build =
              [=](const Variables&) {
                return Variables{is_floating(dtype) ? assign_value(values, shape, dtype)
                                                    : assign_value(integers, shape, dtype)};
              },
          .reference = [=](const Arrays&) { return std::vector{expected}; }};
}

}  // namespace

void add_creation_cases(Suite& suite) {
  const Shape shapes[] = {{}, {1}, {0, 3}, {7}, {33, 65}};
  for (const DType dtype : kAllTypes) {
    for (const Shape& shape : shapes) suite.add(fill_case(shape, 2.5, dtype));
    suite.add(fill_case({5}, 0, dtype));
    for (const Shape& shape : shapes) suite.add(full_like_case(shape, 3, dtype));
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{3, 5}}) {
      suite.add(assign_case(shape, dtype));
    }
    suite.add(tensor_fill_case({2, 3}, 3, dtype, kFloat32));
    suite.add(tensor_fill_case({4}, 3, kFloat32, dtype));
  }
  for (const DType dtype : kFloatTypes) {
    for (const double value : {0.1, -1e-5, 65519.0, 65520.0})
      suite.add(fill_case({3}, value, dtype));
  }
  // What float32 does not hold.
  for (const DType dtype : {kInt32, kInt64}) suite.add(fill_case({3}, -2147483647, dtype));
  suite.add(fill_case({3}, 9007199254740991, kInt64));
  suite.add(fill_case({3}, 9007199254740991, kUInt64));
}

}  // namespace loci::conformance
