// fill_constant, full_like, assign_value and range.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <loci/ops.hpp>
#include <vector>

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

std::vector<Expected> counted(std::int64_t start, std::int64_t limit, std::int64_t step,
                              DType dtype) {
  std::vector<Real> elements;
  for (std::int64_t at = start; step > 0 ? at < limit : at > limit; at += step) {
    elements.push_back(static_cast<Real>(at));
  }
  Expected expected = Expected::exact(dtype, {static_cast<std::int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), expected.values.begin());
  return {expected};
}

Case range_case(std::int64_t start, std::int64_t limit, std::int64_t step, DType dtype) {
  return {.op = "range",
          .variant = fmt::format("{}/{} to {} by {}", dtype_name(dtype), start, limit, step),
          .build = [=](const Variables&) { return Variables{range(start, limit, step, dtype)}; },
          .reference = [=](const Arrays&) { return counted(start, limit, step, dtype); }};
}

Case tensor_range_case(const std::vector<Real>& bounds, DType dtype, DType bounds_dtype) {
  return {
      .op = "range",
      .variant = fmt::format("{} of {} in a tensor", dtype_name(dtype), dtype_name(bounds_dtype)),
      .inputs = {{bounds_dtype, {3}, cycle(bounds)}},
      .build = [=](const Variables& in) { return Variables{range(in[0], dtype)}; },
      .reference =
          [=](const Arrays& in) {
            const auto at = [&](std::size_t i) {
              return static_cast<std::int64_t>(in[0].values[i]);
            };
            return counted(at(0), at(1), at(2), dtype);
          }};
}

// Also of sizes that vectors and blocks of a device do not divide, and in either direction.
void add_range_cases(Suite& suite) {
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const std::int64_t count : {0, 1, 7, 100}) suite.add(range_case(0, count, 1, dtype));
    suite.add(range_case(100, 3, -7, dtype));
    suite.add(range_case(5, 5, -1, dtype));
    suite.add(range_case(9, 2, 3, dtype));
    for (const DType bounds : {kInt32, kInt64}) {
      suite.add(tensor_range_case({3, 50, 4}, dtype, bounds));
    }
  }
  for (const DType dtype : kFloatTypes) suite.add(range_case(-5000, 70000, 7, dtype));
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  suite.add(range_case(kMost - 3, kMost, 1, kInt64));
  suite.add(range_case(kLeast, kLeast + 5, 2, kInt64));
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
  // float32 does not hold these values.
  for (const DType dtype : {kInt32, kInt64}) suite.add(fill_case({3}, -2147483647, dtype));
  suite.add(fill_case({3}, 9007199254740991, kInt64));
  suite.add(fill_case({3}, 9007199254740991, kUInt64));
  add_range_cases(suite);
}

}  // namespace loci::conformance
