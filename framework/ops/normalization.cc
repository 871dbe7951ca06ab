#include "framework/ops/normalization.h"

#include <cmath>
#include <loci/ops.hpp>

#include "framework/core/raise.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {

DType statistics_dtype(DType dtype) { return dtype == kFloat64 ? kFloat64 : kFloat32; }

void require_epsilon(const InferContext& ctx) {
  const auto epsilon = ctx.attr<double>("epsilon");
  if (std::isfinite(epsilon) && epsilon >= 0) return;
  ctx.fail("epsilon is {}; give a finite one that is not negative", epsilon);
}

void require_type(const InferContext& ctx, std::string_view slot, const TensorType& expected) {
  if (ctx.dtype(slot) != expected.dtype) {
    ctx.fail("{} is {}; with x of {} it has to be {}", slot, dtype_name(ctx.dtype(slot)),
             dtype_name(ctx.dtype("x")), dtype_name(expected.dtype));
  }
  require_shape(ctx, slot, expected.shape, "which follows from x");
}

void refuse_gradient_of(const GradContext& ctx, std::string_view op, std::string_view output) {
  if (!ctx.output_grad(output).defined()) return;
  core::raise(ErrorCode::kUnsupported,
              "[{}] a gradient reaches the output '{}', which is not differentiated; compute it "
              "with reduce_mean where it is part of the loss",
              op, output);
}

void refuse_second_gradient(const GradContext& ctx, std::string_view op, std::string_view input) {
  if (!ctx.input(input).defined() || !ctx.needs_grad(input)) return;
  core::raise(ErrorCode::kUnsupported,
              "[{}] the gradient is differentiated with respect to '{}', which is not supported; "
              "use reduce_mean and elementwise ops where a normalisation is differentiated twice",
              op, input);
}

Value normalized(const Value& x, const Value& mean, const Value& inv_std) {
  const DType dtype = GradContext::type(x).dtype;
  const DType computing = GradContext::type(mean).dtype;
  const Value wide = dtype == computing ? x : cast(x, computing);
  const Value result = elementwise_mul(elementwise_sub(wide, mean), inv_std);
  return dtype == computing ? result : cast(result, dtype);
}

}  // namespace loci::ops
