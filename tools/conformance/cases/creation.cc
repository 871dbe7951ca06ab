// fill_constant.
#include <fmt/format.h>

#include <algorithm>
#include <loci/ops.hpp>

#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

Case fill_case(const Shape& shape, double value, DType dtype) {
  return {.op = "fill_constant",
          .variant = fmt::format("{}/{}/{}", dtype_name(dtype), shape.to_string(), value),
          .build = [=](const Variables&) { return Variables{fill_constant(shape, value, dtype)}; },
          .reference =
              [=](const Arrays&) {
                Expected expected = Expected::exact(dtype, shape);
                std::fill(expected.values.begin(), expected.values.end(), Real{value});
                return std::vector{expected};
              }};
}

}  // namespace

void add_creation_cases(Suite& suite) {
  const Shape shapes[] = {{}, {1}, {0, 3}, {7}, {33, 65}};
  for (const DType dtype : kAllTypes) {
    for (const Shape& shape : shapes) suite.add(fill_case(shape, 2.5, dtype));
    suite.add(fill_case({5}, 0, dtype));
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
