// Handlers of floating-point arithmetic, for all types, roundings and modifiers.
#pragma once

#include <cmath>
#include <type_traits>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/rounding_scope.h"

namespace loci::cuda_double {

struct FloatModifiers {
  Rounding rounding = Rounding::kNearest;
  bool flush = false;     // .ftz
  bool saturate = false;  // .sat
  bool relu = false;
};

// Takes all that is left of the form.
[[nodiscard]] inline FloatModifiers take_float_modifiers(Form& form) {
  FloatModifiers modifiers;
  modifiers.rounding = take_rounding(form);
  modifiers.flush = form.take("ftz");
  modifiers.saturate = form.take("sat");
  modifiers.relu = form.take("relu");
  form.finish();
  return modifiers;
}

// Runs the handler of `kFunction` in another rounding mode of the host.
template <auto kFunction, Rounding kRounding>
void map_rounded(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const RoundingScope scope(kRounding);
  map_lanes<kFunction>(warp, instruction, mask);
}

template <auto kFunction>
[[nodiscard]] Handler with_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest: return map_lanes<kFunction>;
    case Rounding::kZero: return map_rounded<kFunction, Rounding::kZero>;
    case Rounding::kDown: return map_rounded<kFunction, Rounding::kDown>;
    case Rounding::kUp: return map_rounded<kFunction, Rounding::kUp>;
    case Rounding::kNearestAway: return nullptr;
  }
  return nullptr;
}

namespace float_handlers {

template <class Operation, bool kFlush, bool kSaturate, class T, class... Rest>
T compute(T first, Rest... rest) {
  return finished<kFlush, kSaturate>(
      Operation::apply(flush_if<kFlush>(first), flush_if<kFlush>(rest)...));
}

template <class Operation, bool kFlush, bool kSaturate, bool kRelu, class T, class... Rest>
T compute_half(T first, Rest... rest) {
  const float exact =
      Operation::apply(to_float(flush_if<kFlush>(first)), to_float(flush_if<kFlush>(rest))...);
  return finish_half<kFlush, kSaturate, kRelu>(round_to<T>(exact));
}

template <class Operation, bool kFlush, bool kSaturate, bool kRelu, class T, class... Rest>
Pair<T> compute_pair(Pair<T> first, Rest... rest) {
  return {compute_half<Operation, kFlush, kSaturate, kRelu, T>(first.low, rest.low...),
          compute_half<Operation, kFlush, kSaturate, kRelu, T>(first.high, rest.high...)};
}

template <class Operation, unsigned kCount, class T>
[[nodiscard]] Handler single(const FloatModifiers& modifiers) {
  return visit_bool(modifiers.saturate, [&](auto saturate) {
    constexpr bool kSat = decltype(saturate)::kIs;
    if constexpr (std::is_same_v<T, float>) {
      return visit_bool(modifiers.flush, [&](auto flush) {
        constexpr bool kFlush = decltype(flush)::kIs;
        if constexpr (kCount == 1) {
          return with_rounding<compute<Operation, kFlush, kSat, T>>(modifiers.rounding);
        } else {
          return with_rounding<compute<Operation, kFlush, kSat, T, T>>(modifiers.rounding);
        }
      });
    } else if constexpr (kCount == 1) {
      return with_rounding<compute<Operation, false, kSat, T>>(modifiers.rounding);
    } else {
      return with_rounding<compute<Operation, false, kSat, T, T>>(modifiers.rounding);
    }
  });
}

template <class Operation, unsigned kCount, class T, bool kPair>
[[nodiscard]] Handler half(const FloatModifiers& modifiers) {
  if (modifiers.rounding != Rounding::kNearest) return nullptr;
  return visit_bool(modifiers.flush, [&](auto flush) {
    return visit_bool(modifiers.saturate, [&](auto saturate) -> Handler {
      constexpr bool kFlush = decltype(flush)::kIs;
      constexpr bool kSat = decltype(saturate)::kIs;
      if constexpr (kPair && kCount == 1) {
        return map_lanes<compute_pair<Operation, kFlush, kSat, false, T>>;
      } else if constexpr (kPair) {
        return map_lanes<compute_pair<Operation, kFlush, kSat, false, T, Pair<T>>>;
      } else if constexpr (kCount == 1) {
        return map_lanes<compute_half<Operation, kFlush, kSat, false, T>>;
      } else {
        return map_lanes<compute_half<Operation, kFlush, kSat, false, T, T>>;
      }
    });
  });
}

}  // namespace float_handlers

// Operation::apply() of one or two floats or doubles, for every type. NULL: the form is not there.
template <class Operation, unsigned kCount>
[[nodiscard]] Handler float_handler(ScalarType type, const FloatModifiers& modifiers) {
  if (modifiers.relu) return nullptr;
  switch (type) {
    case ScalarType::kF32: return float_handlers::single<Operation, kCount, float>(modifiers);
    case ScalarType::kF64: return float_handlers::single<Operation, kCount, double>(modifiers);
    case ScalarType::kF16: return float_handlers::half<Operation, kCount, Half, false>(modifiers);
    case ScalarType::kF16x2: return float_handlers::half<Operation, kCount, Half, true>(modifiers);
    case ScalarType::kBf16: return float_handlers::half<Operation, kCount, Bf16, false>(modifiers);
    case ScalarType::kBf16x2: return float_handlers::half<Operation, kCount, Bf16, true>(modifiers);
    default: return nullptr;
  }
}

// a * b + c, rounded once.
[[nodiscard]] Handler fused_handler(ScalarType type, const FloatModifiers& modifiers);

}  // namespace loci::cuda_double
