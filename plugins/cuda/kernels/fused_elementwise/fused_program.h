// An expression of elementwise steps, as a kernel walks it; for both sides of a launch.
#pragma once

#include <cstdint>
#include <loci/plugin/elementwise_functions.hpp>

#include "kernels/fused_elementwise/fused_axes.h"

namespace loci::cuda {

#define LOCI_ENUMERATOR(op, Function) k##Function,
enum class FusedOp : std::uint8_t {
  LOCI_FLOAT_FUNCTIONS(LOCI_ENUMERATOR)   //
  LOCI_NUMBER_FUNCTIONS(LOCI_ENUMERATOR)  //
  kAdd,
  kAnd,
  kCast,
  kClip,
  kClipGrad,
  kDiv,
  kEqual,
  kGelu,
  kGeluGrad,
  kGeluTanh,
  kGeluTanhGrad,
  kGreater,
  kGreaterEqual,
  kLess,
  kLessEqual,
  kMax,
  kMaxGrad,
  kMin,
  kMinGrad,
  kMod,
  kMul,
  kNot,
  kNotEqual,
  kOr,
  kPow,
  kReluGrad,
  kScale,
  kScaleRounded,
  kSigmoidGrad,
  kSub,
  kTanhGrad,
  kWhere,
  kXor
};
#undef LOCI_ENUMERATOR

enum class FusedType : std::uint8_t {
  kBool,
  kF16,
  kBf16,
  kF32,
  kF64,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64
};

inline constexpr int kFusedSteps = 32;
inline constexpr int kFusedOutputs = 16;
// Slots have 8 bytes, for each thread of a block: 40 KiB of shared memory.
inline constexpr int kFusedSlots = 20;

// Values lie in slots: floats and halves as float32, float64, signed integers as int64, unsigned
// ones and bools as uint64.
struct FusedStep {
  FusedOp op;
  FusedType from;  // of the operands; of where, of the last two
  FusedType to;
  std::uint8_t operands[3];    // slots
  std::uint8_t result;         // a slot
  std::int8_t output;          // that it is; -1: of none
  std::uint64_t constants[2];  // as values of `from`; of kScaleRounded float64
};

struct FusedProgram {
  FusedAxes axes;
  const void* inputs[kFusedInputs];
  void* outputs[kFusedOutputs];
  FusedType types[kFusedInputs];  // of input i, which lies in slot i at first
  std::int32_t input_count;
  std::int32_t step_count;
  FusedStep steps[kFusedSteps];
};

static_assert(sizeof(FusedProgram) <= 4096, "the parameters of a kernel");

}  // namespace loci::cuda
