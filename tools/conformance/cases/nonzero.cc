// nonzero.
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

std::vector<Expected> nonzero_reference(const Array& x) {
  std::vector<Real> positions;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x.values[i] == 0) continue;
    ++count;
    for (const std::int64_t axis : index_of(x.shape, i)) {
      positions.push_back(static_cast<Real>(axis));
    }
  }
  Expected out = Expected::exact(kInt64, {count, x.shape.rank()});
  out.values = positions;
  return {out};
}

Case nonzero_case(DType dtype, const Shape& shape, const Generator& values, const char* variant) {
  return {.op = "nonzero",
          .variant = variant,
          .inputs = {{dtype, shape, values}},
          .build = [](const Variables& in) { return Variables{nonzero(in[0])}; },
          .reference = [](const Arrays& in) { return nonzero_reference(in[0]); }};
}

}  // namespace

void add_nonzero_cases(Suite& suite) {
  const Real nan = std::nanl("");
  for (const DType dtype : kAllTypes) {
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{0, 3}, Shape{17}, Shape{3, 5}, Shape{2, 1, 3, 2, 1, 2, 1, 2}}) {
      suite.add(nonzero_case(dtype, shape, cycle({0, 1, 0, 0, 1}), ""));
    }
    suite.add(nonzero_case(dtype, {4, 4}, cycle({0}), "none"));
    suite.add(nonzero_case(dtype, {4, 4}, cycle({1}), "all"));
  }
  // Several chunks of a kernel that counts before it writes.
  suite.add(nonzero_case(kFloat32, {129, 1033}, cycle({0, 2, 0, 0, -1, 0, 3}), "large"));
  for (const DType dtype : kFloatTypes) {
    suite.add(
        nonzero_case(dtype, {6}, cycle({-0.0L, 0, nan, precision(dtype).smallest()}), "special"));
  }
}

}  // namespace loci::conformance
