// min and max.
#include <algorithm>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <bool kMaximum, class T>
T integer_extreme(T a, T b) {
  return kMaximum ? std::max(a, b) : std::min(a, b);
}

std::int32_t relu_extreme_max(std::int32_t a, std::int32_t b) { return std::max({a, b, 0}); }
std::int32_t relu_extreme_min(std::int32_t a, std::int32_t b) {
  return std::max(std::min(a, b), 0);
}

template <class T>
struct Vector2 {
  T low;
  T high;
};
template <bool kMaximum, bool kRelu, class T>
Vector2<T> short_extreme(Vector2<T> a, Vector2<T> b) {
  const T floor = kRelu ? T{0} : std::numeric_limits<T>::min();
  return {std::max(integer_extreme<kMaximum>(a.low, b.low), floor),
          std::max(integer_extreme<kMaximum>(a.high, b.high), floor)};
}

template <bool kMaximum, bool kNan, bool kFlush, class T>
T float_extreme(T a, T b) {
  return extreme<kMaximum, kNan>(flush_if<kFlush>(a), flush_if<kFlush>(b));
}

template <bool kMaximum, bool kNan, bool kFlush, class T>
T half_extreme(T a, T b) {
  const float value =
      extreme<kMaximum, kNan>(to_float(flush_if<kFlush>(a)), to_float(flush_if<kFlush>(b)));
  return round_to<T>(value);
}

template <bool kMaximum, bool kNan, bool kFlush, class T>
Pair<T> pair_extreme(Pair<T> a, Pair<T> b) {
  return {half_extreme<kMaximum, kNan, kFlush>(a.low, b.low),
          half_extreme<kMaximum, kNan, kFlush>(a.high, b.high)};
}

template <bool kMaximum, bool kNan, bool kFlush>
Handler float_handler_of(ScalarType type) {
  switch (type) {
    case ScalarType::kF32: return map_lanes<float_extreme<kMaximum, kNan, kFlush, float>>;
    case ScalarType::kF64: return map_lanes<float_extreme<kMaximum, kNan, false, double>>;
    case ScalarType::kF16: return map_lanes<half_extreme<kMaximum, kNan, kFlush, Half>>;
    case ScalarType::kBf16: return map_lanes<half_extreme<kMaximum, kNan, kFlush, Bf16>>;
    case ScalarType::kF16x2: return map_lanes<pair_extreme<kMaximum, kNan, kFlush, Half>>;
    case ScalarType::kBf16x2: return map_lanes<pair_extreme<kMaximum, kNan, kFlush, Bf16>>;
    default: return nullptr;
  }
}

Handler float_extreme_handler(ScalarType type, bool maximum, Form& form) {
  const bool nan = form.take("NaN");
  const bool flush = form.take("ftz");
  form.finish();
  return visit_bool(maximum, [&](auto is_maximum) {
    return visit_bool(nan, [&](auto is_nan) {
      return visit_bool(flush, [&](auto is_flush) {
        return float_handler_of<decltype(is_maximum)::kIs, decltype(is_nan)::kIs,
                                decltype(is_flush)::kIs>(type);
      });
    });
  });
}

template <bool kMaximum>
Handler integer_handler(ScalarType type) {
  return visit_integer(type, [](auto tag) -> Handler {
    return map_lanes<integer_extreme<kMaximum, typename decltype(tag)::Type>>;
  });
}

// Two integers of 16 bits in a register.
Handler short_handler(bool maximum, bool is_signed, bool relu) {
  if (!is_signed) {
    return maximum ? map_lanes<short_extreme<true, false, std::uint16_t>>
                   : map_lanes<short_extreme<false, false, std::uint16_t>>;
  }
  if (relu) {
    return maximum ? map_lanes<short_extreme<true, true, std::int16_t>>
                   : map_lanes<short_extreme<false, true, std::int16_t>>;
  }
  return maximum ? map_lanes<short_extreme<true, false, std::int16_t>>
                 : map_lanes<short_extreme<false, false, std::int16_t>>;
}

Handler relu_handler(bool maximum) {
  return maximum ? map_lanes<relu_extreme_max> : map_lanes<relu_extreme_min>;
}

}  // namespace

void translate_extreme(Translator& translator, Form form) {
  const bool maximum = form.name() == "max";
  translator.expect_operands(3);
  const std::string_view shorts = form.take_one_of({"s16x2", "u16x2"});
  ScalarType type = ScalarType::kB32;
  Handler handler = nullptr;
  if (!shorts.empty()) {
    handler = short_handler(maximum, shorts == "s16x2", form.take("relu"));
    form.finish();
  } else {
    type = form.take_type();
    if (is_float(type)) {
      handler = float_extreme_handler(type, maximum, form);
    } else {
      const bool relu = type == ScalarType::kS32 && form.take("relu");
      form.finish();
      handler = relu      ? relu_handler(maximum)
                : maximum ? integer_handler<true>(type)
                          : integer_handler<false>(type);
    }
  }
  translator.build(known(handler, form)).result(0, type).source(1, type).source(2, type).emit();
}

}  // namespace loci::cuda_double
