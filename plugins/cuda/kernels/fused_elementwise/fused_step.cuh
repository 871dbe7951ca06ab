// One step of an expression, by the functions that the op's own kernel has.
#pragma once

#include <loci/plugin/elementwise_functions.hpp>

#include "kernels/elementwise/activation_grad_functions.cuh"
#include "kernels/elementwise/choice_functions.cuh"
#include "kernels/elementwise/clip_functions.cuh"
#include "kernels/elementwise/compare_functions.cuh"
#include "kernels/elementwise/power_functions.cuh"
#include "kernels/elementwise/scale_functions.cuh"
#include "kernels/fused_elementwise/fused_value.cuh"

namespace loci::cuda {

template <class C>
struct FusedOperands {
  C x;
  C y;
  C z;
  C first;  // constants
  C second;
};

// Computes ops whose result is a bool, as uint64.
template <class C>
__device__ std::uint64_t related(FusedOp op, const FusedOperands<C>& in) {
  switch (op) {
    case FusedOp::kEqual: return Equal::value(in.x, in.y);
    case FusedOp::kGreater: return Less::value(in.y, in.x);
    case FusedOp::kGreaterEqual: return LessEqual::value(in.y, in.x);
    case FusedOp::kLess: return Less::value(in.x, in.y);
    case FusedOp::kLessEqual: return LessEqual::value(in.x, in.y);
    default: return NotEqual::value(in.x, in.y);
  }
}

// Computes ops that numbers of every kind have.
template <class C>
__device__ C number(FusedOp op, const FusedOperands<C>& in) {
  switch (op) {
#define LOCI_CASE(op, Function) \
  case FusedOp::k##Function: return Function::value(in.x);
    LOCI_NUMBER_FUNCTIONS(LOCI_CASE)
#undef LOCI_CASE
    case FusedOp::kAdd: return Add::value(in.x, in.y);
    case FusedOp::kClip: return Clip<C>{in.first, in.second}.value(in.x);
    case FusedOp::kDiv: return Div::value(in.x, in.y);
    case FusedOp::kMax: return Max::value(in.x, in.y);
    case FusedOp::kMin: return Min::value(in.x, in.y);
    case FusedOp::kMod: return Mod::value(in.x, in.y);
    case FusedOp::kMul: return Mul::value(in.x, in.y);
    case FusedOp::kPow: return Pow::value(in.x, in.y);
    case FusedOp::kScale: return Scale<C>{in.first, in.second}.value(in.x);
    default: return Sub::value(in.x, in.y);
  }
}

// Computes ops that floating numbers have besides those of number().
template <class C>
__device__ C real(FusedOp op, const FusedOperands<C>& in) {
  switch (op) {
#define LOCI_CASE(op, Function) \
  case FusedOp::k##Function: return Function::value(in.x);
    LOCI_FLOAT_FUNCTIONS(LOCI_CASE)
#undef LOCI_CASE
    case FusedOp::kClipGrad: return ClipGrad<C>{in.first, in.second}.value(in.x, in.y);
    case FusedOp::kGelu: return Gelu::value(in.x);
    case FusedOp::kGeluGrad: return GeluGrad::value(in.x, in.y);
    case FusedOp::kGeluTanh: return GeluTanh::value(in.x);
    case FusedOp::kGeluTanhGrad: return GeluTanhGrad::value(in.x, in.y);
    case FusedOp::kMaxGrad: return ShareOfLarger::value(in.x, in.y, in.z);
    case FusedOp::kMinGrad: return ShareOfLarger::value(in.y, in.x, in.z);
    case FusedOp::kReluGrad: return ReluGrad::value(in.x, in.y);
    case FusedOp::kSigmoidGrad: return SigmoidGrad::value(in.x, in.y);
    case FusedOp::kTanhGrad: return TanhGrad::value(in.x, in.y);
    default: return number(op, in);
  }
}

__device__ inline bool is_relation(FusedOp op) {
  return op == FusedOp::kEqual || op == FusedOp::kNotEqual || op == FusedOp::kGreater ||
         op == FusedOp::kGreaterEqual || op == FusedOp::kLess || op == FusedOp::kLessEqual;
}

// Returns the result of `step` on operands in slots.
__device__ inline Slot result_of(const FusedStep& step, Slot x, Slot y, Slot z) {
  switch (step.op) {
    case FusedOp::kAnd: return x & y;
    case FusedOp::kOr: return x | y;
    case FusedOp::kXor: return x ^ y;
    case FusedOp::kNot: return x ^ 1;
    case FusedOp::kWhere: return x != 0 ? y : z;
    default: break;
  }
  return visit_held(step.from, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const FusedOperands<C> in{held<C>(x), held<C>(y), held<C>(z), held<C>(step.constants[0]),
                              held<C>(step.constants[1])};
    if (step.op == FusedOp::kCast) return converted(step.to, in.x, true);
    if (is_relation(step.op)) return slot_of(related(step.op, in));
    if constexpr (std::is_floating_point_v<C>) {
      return converted(step.to, real(step.op, in));
    } else {
      if (step.op == FusedOp::kScaleRounded) {
        return converted(step.to, static_cast<double>(in.x) * held<double>(step.constants[0]) +
                                      held<double>(step.constants[1]));
      }
      return converted(step.to, number(step.op, in));
    }
  });
}

}  // namespace loci::cuda
