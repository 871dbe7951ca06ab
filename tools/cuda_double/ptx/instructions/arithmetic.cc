// add, sub, mul, mad and fma of all types.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tools/cuda_double/ptx/instructions/carry.h"
#include "tools/cuda_double/ptx/instructions/float_handlers.h"
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/wide.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

// Integers wrap, which only unsigned ones may in C++.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
struct DoubledType;
template <>
struct DoubledType<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct DoubledType<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct DoubledType<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct DoubledType<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct DoubledType<std::uint64_t> {
  using Type = Wide;
};
template <>
struct DoubledType<std::int64_t> {
  using Type = SignedWide;
};
template <class T>
using Doubled = typename DoubledType<T>::Type;

template <class T>
T add_integers(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
T subtract_integers(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
std::int32_t clamp_to_32(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
}
std::int32_t add_saturated(std::int32_t a, std::int32_t b) {
  return clamp_to_32(std::int64_t{a} + b);
}
std::int32_t subtract_saturated(std::int32_t a, std::int32_t b) {
  return clamp_to_32(std::int64_t{a} - b);
}

template <class T>
T multiply_low(T a, T b) {
  return static_cast<T>(
      static_cast<Unsigned<T>>(static_cast<Doubled<T>>(a) * static_cast<Doubled<T>>(b)));
}
template <class T>
T multiply_high(T a, T b) {
  return static_cast<T>((static_cast<Doubled<T>>(a) * static_cast<Doubled<T>>(b)) >>
                        (8 * sizeof(T)));
}
template <class T>
Doubled<T> multiply_wide(T a, T b) {
  return static_cast<Doubled<T>>(a) * static_cast<Doubled<T>>(b);
}
template <class T>
T mad_low(T a, T b, T c) {
  return add_integers(multiply_low(a, b), c);
}
template <class T>
T mad_high(T a, T b, T c) {
  return add_integers(multiply_high(a, b), c);
}
template <class T>
Doubled<T> mad_wide(T a, T b, Doubled<T> c) {
  return add_integers(multiply_wide(a, b), c);
}
std::int32_t mad_high_saturated(std::int32_t a, std::int32_t b, std::int32_t c) {
  return clamp_to_32(std::int64_t{multiply_high(a, b)} + c);
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};

Handler integer_sum(ScalarType type, bool subtract, bool saturate, const Form& form) {
  if (saturate) {
    if (type != ScalarType::kS32) form.unsupported();
    return subtract ? map_lanes<subtract_saturated> : map_lanes<add_saturated>;
  }
  return visit_integer(type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::Type;
    return subtract ? map_lanes<subtract_integers<T>> : map_lanes<add_integers<T>>;
  });
}

void emit(Translator& translator, Handler handler, ScalarType type, unsigned sources) {
  InstructionBuilder builder = translator.build(handler);
  builder.result(0, type);
  for (unsigned i = 0; i < sources; ++i) builder.source(i + 1, type);
  builder.emit();
}

enum class Part : std::uint8_t { kLow, kHigh, kWide };

Part take_part(Form& form) {
  const std::string_view part = form.take_one_of({"lo", "hi", "wide"});
  if (part.empty()) form.unsupported();
  return part == "lo" ? Part::kLow : part == "hi" ? Part::kHigh : Part::kWide;
}

template <class T>
Handler product(Part part, bool with_sum) {
  switch (part) {
    case Part::kLow: return with_sum ? map_lanes<mad_low<T>> : map_lanes<multiply_low<T>>;
    case Part::kHigh: return with_sum ? map_lanes<mad_high<T>> : map_lanes<multiply_high<T>>;
    case Part::kWide: break;
  }
  if constexpr (sizeof(T) < 8) {
    return with_sum ? map_lanes<mad_wide<T>> : map_lanes<multiply_wide<T>>;
  } else {
    return nullptr;
  }
}

ScalarType doubled(ScalarType type) {
  switch (type) {
    case ScalarType::kU16: return ScalarType::kU32;
    case ScalarType::kS16: return ScalarType::kS32;
    case ScalarType::kU32: return ScalarType::kU64;
    default: return ScalarType::kS64;
  }
}

void translate_integer_product(Translator& translator, Form& form, ScalarType type, bool with_sum) {
  const Part part = take_part(form);
  const bool saturate = form.take("sat");
  const bool carries_out = form.take("cc");
  form.finish();
  if (carries_out) return emit_carrying_product(translator, type, part == Part::kHigh, false, true);
  Handler handler = visit_integer(type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::Type;
    if constexpr (sizeof(T) == 1) {
      return nullptr;
    } else {
      return product<T>(part, with_sum);
    }
  });
  if (saturate) {
    const bool fits = with_sum && part == Part::kHigh && type == ScalarType::kS32;
    handler = fits ? map_lanes<mad_high_saturated> : nullptr;
  }
  const ScalarType result = part == Part::kWide ? doubled(type) : type;
  translator.expect_operands(with_sum ? 4 : 3);
  InstructionBuilder builder = translator.build(known(handler, form));
  builder.result(0, result).source(1, type).source(2, type);
  if (with_sum) builder.source(3, result);
  builder.emit();
}

}  // namespace

void translate_add(Translator& translator, Form form) {
  const bool subtract = form.name() == "sub";
  const ScalarType type = form.take_type();
  translator.expect_operands(3);
  if (form.take("cc")) {
    form.finish();
    return emit_carrying_sum(translator, type, subtract, false, true);
  }
  if (is_float(type)) {
    const FloatModifiers modifiers = take_float_modifiers(form);
    const Handler handler = subtract ? float_handler<Subtract, 2>(type, modifiers)
                                     : float_handler<Add, 2>(type, modifiers);
    return emit(translator, known(handler, form), type, 2);
  }
  const bool saturate = form.take("sat");
  form.finish();
  emit(translator, known(integer_sum(type, subtract, saturate, form), form), type, 2);
}

void translate_multiply(Translator& translator, Form form) {
  const bool with_sum = form.name() != "mul";
  const ScalarType type = form.take_type();
  if (!is_float(type)) return translate_integer_product(translator, form, type, with_sum);
  const FloatModifiers modifiers = take_float_modifiers(form);
  translator.expect_operands(with_sum ? 4 : 3);
  const Handler handler =
      with_sum ? fused_handler(type, modifiers) : float_handler<Multiply, 2>(type, modifiers);
  emit(translator, known(handler, form), type, with_sum ? 3 : 2);
}

}  // namespace loci::cuda_double
