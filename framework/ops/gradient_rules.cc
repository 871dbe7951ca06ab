#include "framework/ops/gradient_rules.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {

Value reduce_sum_like(const Value& x, const Value& like) {
  return OpCall<Value>("reduce_sum_like").input("x", x).input("like", like).result();
}

Value reshape_like(const Value& x, const Value& like) {
  return OpCall<Value>("reshape_like").input("x", x).input("like", like).result();
}

Value undo_broadcast(const Value& grad, const Value& value, const Shape& other) {
  const bool repeated = may_repeat(GradContext::type(value).shape, other);
  return repeated ? reduce_sum_like(grad, value) : grad;
}

Value constant_like(const Value& like, double value) {
  return like.emitter
      ->emit(OpCall<Value>("fill_constant")
                 .attr("shape", std::vector<std::int64_t>{})
                 .attr("value", value)
                 .attr("dtype", GradContext::type(like).dtype))
      .front();
}

Value broadcast_like(const Value& x, const Value& like) {
  return OpCall<Value>("expand_like").input("x", x).input("like", like).result();
}

Value softmax_backward(const Value& y, const Value& y_grad, int axis) {
  const Value product = elementwise_mul(y, y_grad);
  const Value sum = reduce_sum(product, {axis}, /*keep_dim=*/true);
  return elementwise_sub(product, elementwise_mul(y, sum));
}

Value sum_of(const Value& a, const Value& b) { return a.defined() ? elementwise_add(a, b) : b; }

GradientFn unsupported_gradient(std::string op, std::string reason) {
  return [op = std::move(op), reason = std::move(reason)](GradContext&) {
    core::raise(ErrorCode::kUnsupported, "[{}] its gradient is not supported: {}", op, reason);
  };
}

}  // namespace loci::ops
