// shape.
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

Case shape_case(DType dtype, const Shape& x) {
  return {.op = "shape",
          .inputs = {{dtype, x, small_values(dtype)}},
          .build = [](const Variables& in) { return Variables{shape(in[0])}; },
          .reference =
              [=](const Arrays&) {
                Expected out = Expected::exact(kInt32, {x.rank()});
                out.values.assign(x.begin(), x.end());
                return std::vector{out};
              }};
}

}  // namespace

void add_shape_cases(Suite& suite) {
  for (const DType dtype : kAllTypes) {
    for (const Shape& x : {Shape{}, Shape{7}, Shape{2, 0, 3}}) suite.add(shape_case(dtype, x));
  }
}

}  // namespace loci::conformance
