// sgd: parameters change in place.
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

// A product and a difference, and the rounding of the rate to the dtype computed in.
std::vector<Expected> reference(const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, in[0].shape);
  const Real rate = in[2].values[0];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real step = rate * in[1].values[i];
    out.values[i] = in[0].values[i] - step;
    out.slack[i] = 2 * std::abs(step) + std::abs(out.values[i]);
  }
  return {out};
}

Case sgd_case(DType dtype, const Shape& shape, const Shape& rate_shape) {
  return {.op = "sgd",
          .inputs = {{dtype, shape, uniform(-2, 2), /*state=*/true},
                     {dtype, shape, uniform(-2, 2)},
                     {kFloat32, rate_shape, uniform(0.1L, 0.2L)}},
          .build = [](const Variables& in) { return Variables{sgd(in[0], in[1], in[2])}; },
          .reference = reference};
}

}  // namespace

void add_optimizer_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0, 3}, Shape{17}, Shape{65, 129}}) {
      suite.add(sgd_case(dtype, shape, {}));
    }
    suite.add(sgd_case(dtype, {5, 3}, {1}));
  }
}

}  // namespace loci::conformance
