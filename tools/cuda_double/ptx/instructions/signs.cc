// abs, neg, copysign and testp.
#include <bit>
#include <cmath>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <bool kNegate, class T>
T integer_sign(T value) {
  using Unsigned = std::make_unsigned_t<T>;
  if (!kNegate && value >= 0) return value;
  return static_cast<T>(Unsigned{0} - static_cast<Unsigned>(value));
}

// The sign's bit alone changes, of NaN too.
template <bool kNegate, bool kFlush, class T>
T float_sign(T value) {
  const T flushed_value = flush_if<kFlush>(value);
  return kNegate ? -flushed_value : std::fabs(flushed_value);
}

template <bool kNegate, bool kFlush, class T>
T half_sign(T value) {
  const T kept = flush_if<kFlush>(value);
  return {static_cast<std::uint16_t>(kNegate ? kept.bits ^ 0x8000 : kept.bits & 0x7fff)};
}

template <bool kNegate, bool kFlush, class T>
Pair<T> pair_sign(Pair<T> value) {
  return {half_sign<kNegate, kFlush>(value.low), half_sign<kNegate, kFlush>(value.high)};
}

template <bool kNegate, bool kFlush>
Handler sign_handler(ScalarType type) {
  switch (type) {
    case ScalarType::kF32: return map_lanes<float_sign<kNegate, kFlush, float>>;
    case ScalarType::kF64: return map_lanes<float_sign<kNegate, false, double>>;
    case ScalarType::kF16: return map_lanes<half_sign<kNegate, kFlush, Half>>;
    case ScalarType::kBf16: return map_lanes<half_sign<kNegate, kFlush, Bf16>>;
    case ScalarType::kF16x2: return map_lanes<pair_sign<kNegate, kFlush, Half>>;
    case ScalarType::kBf16x2: return map_lanes<pair_sign<kNegate, kFlush, Bf16>>;
    case ScalarType::kS16: return map_lanes<integer_sign<kNegate, std::int16_t>>;
    case ScalarType::kS32: return map_lanes<integer_sign<kNegate, std::int32_t>>;
    case ScalarType::kS64: return map_lanes<integer_sign<kNegate, std::int64_t>>;
    default: return nullptr;
  }
}

// The first operand gives the sign.
template <class T>
T with_sign(T sign, T value) {
  return std::copysign(value, sign);
}

enum class Property : std::uint8_t { kFinite, kInfinite, kNumber, kNotNumber, kNormal, kSubnormal };

template <class T, Property kProperty>
bool has_property(T value) {
  switch (kProperty) {
    case Property::kFinite: return std::isfinite(value);
    case Property::kInfinite: return std::isinf(value);
    case Property::kNumber: return !std::isnan(value);
    case Property::kNotNumber: return std::isnan(value);
    case Property::kNormal: return std::isnormal(value);
    case Property::kSubnormal: return std::fpclassify(value) == FP_SUBNORMAL;
  }
  return false;
}

template <class T>
Handler property_handler(Form& form) {
  if (form.take("finite")) return map_lanes<has_property<T, Property::kFinite>>;
  if (form.take("infinite")) return map_lanes<has_property<T, Property::kInfinite>>;
  if (form.take("number")) return map_lanes<has_property<T, Property::kNumber>>;
  if (form.take("notanumber")) return map_lanes<has_property<T, Property::kNotNumber>>;
  if (form.take("normal")) return map_lanes<has_property<T, Property::kNormal>>;
  if (form.take("subnormal")) return map_lanes<has_property<T, Property::kSubnormal>>;
  return nullptr;
}

void translate_property(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  translator.expect_operands(2);
  Handler handler = nullptr;
  if (type == ScalarType::kF32) handler = property_handler<float>(form);
  if (type == ScalarType::kF64) handler = property_handler<double>(form);
  form.finish();
  translator.build(known(handler, form)).result(0, ScalarType::kPred).source(1, type).emit();
}

void translate_copy_sign(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(3);
  Handler handler = nullptr;
  if (type == ScalarType::kF32) handler = map_lanes<with_sign<float>>;
  if (type == ScalarType::kF64) handler = map_lanes<with_sign<double>>;
  translator.build(known(handler, form)).result(0, type).source(1, type).source(2, type).emit();
}

}  // namespace

void translate_sign(Translator& translator, Form form) {
  if (form.name() == "testp") return translate_property(translator, form);
  if (form.name() == "copysign") return translate_copy_sign(translator, form);
  const bool negate = form.name() == "neg";
  const ScalarType type = form.take_type();
  const bool flush = form.take("ftz");
  form.finish();
  translator.expect_operands(2);
  const Handler handler = visit_bool(negate, [&](auto is_negate) {
    return visit_bool(flush, [&](auto is_flush) {
      return sign_handler<decltype(is_negate)::kIs, decltype(is_flush)::kIs>(type);
    });
  });
  translator.build(known(handler, form)).result(0, type).source(1, type).emit();
}

}  // namespace loci::cuda_double
