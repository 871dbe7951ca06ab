// One step of an expression, by the functions that the op's own kernel has.
#pragma once

#include "kernels/activation_grad_functions.cuh"
#include "kernels/choice_functions.cuh"
#include "kernels/clip_functions.cuh"
#include "kernels/compare_functions.cuh"
#include "kernels/fused_value.cuh"
#include "kernels/power_functions.cuh"
#include "kernels/scale_functions.cuh"

namespace loci::cuda {

template <class C>
struct FusedOperands {
  C x;
  C y;
  C z;
  C first;  // constants
  C second;
};

// Of ops whose result is a bool, as uint64.
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

// Of ops that numbers of every kind have.
template <class C>
__device__ C number(FusedOp op, const FusedOperands<C>& in) {
  switch (op) {
    case FusedOp::kAbs: return Abs::value(in.x);
    case FusedOp::kAdd: return Add::value(in.x, in.y);
    case FusedOp::kClip: return Clip<C>{in.first, in.second}.value(in.x);
    case FusedOp::kDiv: return Div::value(in.x, in.y);
    case FusedOp::kMax: return Max::value(in.x, in.y);
    case FusedOp::kMin: return Min::value(in.x, in.y);
    case FusedOp::kMod: return Mod::value(in.x, in.y);
    case FusedOp::kMul: return Mul::value(in.x, in.y);
    case FusedOp::kPow: return Pow::value(in.x, in.y);
    case FusedOp::kRelu: return Relu::value(in.x);
    case FusedOp::kScale: return Scale<C>{in.first, in.second}.value(in.x);
    case FusedOp::kSign: return Sign::value(in.x);
    case FusedOp::kSquare: return Square::value(in.x);
    default: return Sub::value(in.x, in.y);
  }
}

// Of those that floating numbers have, besides.
template <class C>
__device__ C real(FusedOp op, const FusedOperands<C>& in) {
  switch (op) {
    case FusedOp::kCeil: return Ceil::value(in.x);
    case FusedOp::kClipGrad: return ClipGrad<C>{in.first, in.second}.value(in.x, in.y);
    case FusedOp::kErf: return Erf::value(in.x);
    case FusedOp::kExp: return Exp::value(in.x);
    case FusedOp::kFloor: return Floor::value(in.x);
    case FusedOp::kGelu: return Gelu::value(in.x);
    case FusedOp::kGeluGrad: return GeluGrad::value(in.x, in.y);
    case FusedOp::kGeluTanh: return GeluTanh::value(in.x);
    case FusedOp::kGeluTanhGrad: return GeluTanhGrad::value(in.x, in.y);
    case FusedOp::kHardSigmoid: return HardSigmoid::value(in.x);
    case FusedOp::kHardSwish: return HardSwish::value(in.x);
    case FusedOp::kLog: return Log::value(in.x);
    case FusedOp::kMaxGrad: return ShareOfLarger::value(in.x, in.y, in.z);
    case FusedOp::kMinGrad: return ShareOfLarger::value(in.y, in.x, in.z);
    case FusedOp::kReluGrad: return ReluGrad::value(in.x, in.y);
    case FusedOp::kRound: return Round::value(in.x);
    case FusedOp::kRsqrt: return Rsqrt::value(in.x);
    case FusedOp::kSigmoid: return Sigmoid::value(in.x);
    case FusedOp::kSigmoidGrad: return SigmoidGrad::value(in.x, in.y);
    case FusedOp::kSqrt: return Sqrt::value(in.x);
    case FusedOp::kTanh: return Tanh::value(in.x);
    case FusedOp::kTanhGrad: return TanhGrad::value(in.x, in.y);
    default: return number(op, in);
  }
}

__device__ inline bool is_relation(FusedOp op) {
  return op == FusedOp::kEqual || op == FusedOp::kNotEqual || op == FusedOp::kGreater ||
         op == FusedOp::kGreaterEqual || op == FusedOp::kLess || op == FusedOp::kLessEqual;
}

// Of `step` on operands in slots.
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
