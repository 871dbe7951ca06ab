// fma, rounded once.
#include <cmath>

#include "tools/cuda_double/ptx/instructions/float_handlers.h"

namespace loci::cuda_double {
namespace {

template <bool kFlush, bool kSaturate, class T>
T fused(T a, T b, T c) {
  return finished<kFlush, kSaturate>(
      std::fma(flush_if<kFlush>(a), flush_if<kFlush>(b), flush_if<kFlush>(c)));
}

// The product of two halves is exact in a double, and the sum is made so that the second rounding
// does no harm.
template <bool kFlush, bool kSaturate, bool kRelu, class T>
T fused_half(T a, T b, T c) {
  const double product = static_cast<double>(to_float(flush_if<kFlush>(a))) *
                         static_cast<double>(to_float(flush_if<kFlush>(b)));
  const double sum = round_to_odd(product, to_float(flush_if<kFlush>(c)));
  return finish_half<kFlush, kSaturate, kRelu>(round_to<T>(sum));
}

template <bool kFlush, bool kSaturate, bool kRelu, class T>
Pair<T> fused_pair(Pair<T> a, Pair<T> b, Pair<T> c) {
  return {fused_half<kFlush, kSaturate, kRelu>(a.low, b.low, c.low),
          fused_half<kFlush, kSaturate, kRelu>(a.high, b.high, c.high)};
}

template <class T, bool kPair>
Handler half_handler(const FloatModifiers& modifiers) {
  if (modifiers.rounding != Rounding::kNearest) return nullptr;
  return visit_bool(modifiers.flush, [&](auto flush) {
    return visit_bool(modifiers.saturate, [&](auto saturate) {
      return visit_bool(modifiers.relu, [&](auto relu) -> Handler {
        constexpr bool kFlush = decltype(flush)::kIs;
        constexpr bool kSaturate = decltype(saturate)::kIs;
        constexpr bool kRelu = decltype(relu)::kIs;
        if constexpr (kPair) {
          return map_lanes<fused_pair<kFlush, kSaturate, kRelu, T>>;
        } else {
          return map_lanes<fused_half<kFlush, kSaturate, kRelu, T>>;
        }
      });
    });
  });
}

Handler single_handler(const FloatModifiers& modifiers) {
  if (modifiers.relu) return nullptr;
  return visit_bool(modifiers.flush, [&](auto flush) {
    return visit_bool(modifiers.saturate, [&](auto saturate) {
      return with_rounding<fused<decltype(flush)::kIs, decltype(saturate)::kIs, float>>(
          modifiers.rounding);
    });
  });
}

}  // namespace

Handler fused_handler(ScalarType type, const FloatModifiers& modifiers) {
  switch (type) {
    case ScalarType::kF32: return single_handler(modifiers);
    case ScalarType::kF64: return with_rounding<fused<false, false, double>>(modifiers.rounding);
    case ScalarType::kF16: return half_handler<Half, false>(modifiers);
    case ScalarType::kF16x2: return half_handler<Half, true>(modifiers);
    case ScalarType::kBf16: return half_handler<Bf16, false>(modifiers);
    case ScalarType::kBf16x2: return half_handler<Bf16, true>(modifiers);
    default: return nullptr;
  }
}

}  // namespace loci::cuda_double
