// cvt: between all types, with all roundings.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/rounding_scope.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

enum Modifier : std::uint32_t {
  kRoundingMask = 7,
  kToInteger = 8,  // .rni and the like: the value is rounded to an integer
  kSaturate = 16,
  kFlush = 32,
  kRelu = 64,
};

Rounding rounding_of(std::uint32_t modifiers) {
  return static_cast<Rounding>(modifiers & kRoundingMask);
}

double to_integer(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest: return std::nearbyint(value);
    case Rounding::kNearestAway: return std::round(value);
    case Rounding::kZero: return std::trunc(value);
    case Rounding::kDown: return std::floor(value);
    case Rounding::kUp: return std::ceil(value);
  }
  return value;
}

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T>;

// Both are exact.
template <class T>
double number_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return to_float(value);
  }
}

// Takes 64 bits, with the last digits of large numbers gathered in one, so that a later rounding to
// fewer digits is correct.
template <class T>
double sticky_number(T value) {
  const bool negative = value < 0;
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  constexpr std::uint64_t kDropped = 0x7ff;
  if (magnitude >> 53 != 0) {
    const bool rest = (magnitude & kDropped) != 0;
    magnitude = (magnitude & ~kDropped) | (rest ? kDropped + 1 : 0);
  }
  const auto number = static_cast<double>(magnitude);
  return negative ? -number : number;
}

template <class From, class To>
To integer_to_integer(From value, std::uint32_t modifiers) {
  if ((modifiers & kSaturate) == 0) return static_cast<To>(value);
  if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

// Out of range gives the nearest integer that is in it, NaN gives 0.
template <class From, class To>
To float_to_integer(From value, std::uint32_t modifiers) {
  if constexpr (std::is_same_v<From, float>) {
    if ((modifiers & kFlush) != 0) value = flushed(value);
  }
  const double number = to_integer(number_of(value), rounding_of(modifiers));
  constexpr double kBeyond = sizeof(To) == 8
                                 ? (std::is_signed_v<To> ? 0x1p63 : 0x1p64)
                                 : static_cast<double>(std::numeric_limits<To>::max()) + 1.0;
  if (number != number) return 0;
  if (number >= kBeyond) return std::numeric_limits<To>::max();
  if (number <= static_cast<double>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  return static_cast<To>(number);
}

// In the host's rounding mode, which is the instruction's.
template <class From, class To>
To integer_to_float(From value, std::uint32_t modifiers) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    return round_to<To>(sticky_number(value), rounding_of(modifiers));
  }
}

template <class To>
To encoded(double number, std::uint32_t modifiers) {
  if constexpr (std::is_same_v<To, double>) {
    return number;
  } else if constexpr (std::is_same_v<To, float>) {
    auto value = static_cast<float>(number);
    if ((modifiers & kFlush) != 0) value = flushed(value);
    return canonical(value);
  } else {
    return round_to<To>(
        number, (modifiers & kToInteger) != 0 ? Rounding::kNearest : rounding_of(modifiers));
  }
}

template <class From, class To>
To float_to_float(From value, std::uint32_t modifiers) {
  if constexpr (std::is_same_v<From, float>) {
    if ((modifiers & kFlush) != 0) value = flushed(value);
  }
  double number = number_of(value);
  if ((modifiers & kToInteger) != 0) number = to_integer(number, rounding_of(modifiers));
  if ((modifiers & kSaturate) != 0) number = number > 0 ? (number < 1 ? number : 1.0) : 0.0;
  if ((modifiers & kRelu) != 0 && number < 0) number = 0;
  return encoded<To>(number, modifiers);
}

template <class From, class To>
To converted(From value, std::uint32_t modifiers) {
  if constexpr (kIsInteger<From> && kIsInteger<To>) {
    return integer_to_integer<From, To>(value, modifiers);
  } else if constexpr (kIsInteger<To>) {
    return float_to_integer<From, To>(value, modifiers);
  } else if constexpr (kIsInteger<From>) {
    return integer_to_float<From, To>(value, modifiers);
  } else {
    return float_to_float<From, To>(value, modifiers);
  }
}

template <class From, class To>
constexpr bool kRoundsOnHost = std::is_floating_point_v<To> && !std::is_same_v<From, To>;

template <class From, class To>
void convert(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const From* source = warp.source<From>(instruction, 0);
  To* result = warp.result<To>(instruction);
  const std::uint32_t modifiers = instruction.modifiers;
  const bool sets_mode = kRoundsOnHost<From, To> && (modifiers & kToInteger) == 0;
  const RoundingScope scope(sets_mode ? rounding_of(modifiers) : Rounding::kNearest);
  for_each_lane(mask, [&](std::uint32_t lane) {
    result[lane] = converted<From, To>(source[lane], modifiers);
  });
}

// Two floats into one register: the first is the high half.
template <class T>
void convert_pair(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const float* high = warp.source<float>(instruction, 0);
  const float* low = warp.source<float>(instruction, 1);
  auto* result = warp.result<Pair<T>>(instruction);
  const std::uint32_t modifiers = instruction.modifiers;
  for_each_lane(mask, [&](std::uint32_t lane) {
    result[lane] = {converted<float, T>(low[lane], modifiers),
                    converted<float, T>(high[lane], modifiers)};
  });
}

// 10 bits of fraction are left.
template <bool kAway>
std::uint32_t to_tf32(float value) {
  constexpr std::uint32_t kDropped = 0x1fff;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(canonical(value));
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  const std::uint32_t half = kAway ? 0x1000 : 0xfff + (bits >> 13 & 1);
  return (bits + half) & ~kDropped;
}

template <class Visit>
Handler visit_any(ScalarType type, const Visit& visit) {
  return is_float(type) ? visit_float(type, visit) : visit_integer(type, visit);
}

Handler convert_handler(ScalarType to, ScalarType from) {
  return visit_any(from, [&](auto from_tag) {
    return visit_any(to, [&](auto to_tag) -> Handler {
      return convert<typename decltype(from_tag)::Type, typename decltype(to_tag)::Type>;
    });
  });
}

std::uint32_t take_modifiers(Form& form) {
  std::uint32_t modifiers = 0;
  const auto take = [&](std::string_view name, Rounding rounding, std::uint32_t more) {
    if (form.take(name)) modifiers |= static_cast<std::uint32_t>(rounding) | more;
  };
  take("rni", Rounding::kNearest, kToInteger);
  take("rzi", Rounding::kZero, kToInteger);
  take("rmi", Rounding::kDown, kToInteger);
  take("rpi", Rounding::kUp, kToInteger);
  take("rn", Rounding::kNearest, 0);
  take("rna", Rounding::kNearestAway, 0);
  take("rz", Rounding::kZero, 0);
  take("rm", Rounding::kDown, 0);
  take("rp", Rounding::kUp, 0);
  if (form.take("sat")) modifiers |= kSaturate;
  if (form.take("ftz")) modifiers |= kFlush;
  if (form.take("relu")) modifiers |= kRelu;
  return modifiers;
}

void translate_tf32(Translator& translator, Form& form, std::uint32_t modifiers) {
  (void)form.take("satfinite");
  form.finish();
  translator.expect_operands(2);
  const bool away = rounding_of(modifiers) == Rounding::kNearestAway;
  translator.build(away ? map_lanes<to_tf32<true>> : map_lanes<to_tf32<false>>)
      .result(0, ScalarType::kB32)
      .source(1, ScalarType::kF32)
      .emit();
}

}  // namespace

void translate_convert(Translator& translator, Form form) {
  const std::uint32_t modifiers = take_modifiers(form);
  const ScalarType to = form.take_type();
  const ScalarType from = form.take_type();
  if (to == ScalarType::kTf32) return translate_tf32(translator, form, modifiers);
  form.finish();
  if (to == ScalarType::kF16x2 || to == ScalarType::kBf16x2) {
    if (from != ScalarType::kF32) form.unsupported();
    translator.expect_operands(3);
    translator.build(to == ScalarType::kF16x2 ? convert_pair<Half> : convert_pair<Bf16>)
        .result(0, to)
        .source(1, from)
        .source(2, from)
        .modifiers(modifiers)
        .emit();
    return;
  }
  translator.expect_operands(2);
  translator.allow_wider();
  const bool is_copy = !is_float(to) && !is_float(from);
  translator.build(known(convert_handler(to, from), form))
      .result(0, to)
      .source(1, from)
      .modifiers(modifiers)
      .flow(is_copy ? DataFlow::kCopy : DataFlow::kCompute)
      .emit();
}

}  // namespace loci::cuda_double
