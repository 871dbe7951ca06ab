// sad, mul24, mad24, dp4a and dp2a.
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <class T>
T sum_of_difference(T a, T b, T c) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto difference = a < b ? static_cast<Unsigned>(b) - static_cast<Unsigned>(a)
                                : static_cast<Unsigned>(a) - static_cast<Unsigned>(b);
  return static_cast<T>(static_cast<Unsigned>(c) + static_cast<Unsigned>(difference));
}

std::int64_t low_24(std::int32_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << 8) >> 8;
}
std::int64_t low_24(std::uint32_t value) { return value & 0xffffffU; }

template <class T, bool kHigh>
T multiply_24(T a, T b) {
  return static_cast<T>((low_24(a) * low_24(b)) >> (kHigh ? 16 : 0));
}
template <class T, bool kHigh>
T mad_24(T a, T b, T c) {
  return static_cast<T>(static_cast<std::uint32_t>(multiply_24<T, kHigh>(a, b)) +
                        static_cast<std::uint32_t>(c));
}

template <class T>
Handler product_24(bool with_sum, bool high) {
  if (with_sum) return high ? map_lanes<mad_24<T, true>> : map_lanes<mad_24<T, false>>;
  return high ? map_lanes<multiply_24<T, true>> : map_lanes<multiply_24<T, false>>;
}

template <class Narrow>
std::int32_t part(std::uint32_t value, unsigned number) {
  return static_cast<Narrow>(value >> (8 * sizeof(Narrow) * number));
}

// Products of the parts of two registers.
template <class A, class B>
std::uint32_t dot_4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 4; ++i) c += static_cast<std::uint32_t>(part<A>(a, i) * part<B>(b, i));
  return c;
}
template <class A, class B, unsigned kFirst>
std::uint32_t dot_2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (unsigned i = 0; i < 2; ++i) {
    c += static_cast<std::uint32_t>(part<A>(a, i) * part<B>(b, kFirst + i));
  }
  return c;
}

template <class A2, class B, class A4>
Handler dot_handler(bool four, bool high) {
  if (four) return map_lanes<dot_4<A4, B>>;
  return high ? map_lanes<dot_2<A2, B, 2>> : map_lanes<dot_2<A2, B, 0>>;
}

template <class A2, class A4>
Handler dot_handler_of(bool b_signed, bool four, bool high) {
  return b_signed ? dot_handler<A2, std::int8_t, A4>(four, high)
                  : dot_handler<A2, std::uint8_t, A4>(four, high);
}

void translate_dot(Translator& translator, Form form) {
  const bool four = form.name() == "dp4a";
  const bool high = !four && form.take("hi");
  if (!four && !high && !form.take("lo")) form.unsupported();
  const ScalarType a = form.take_type();
  const ScalarType b = form.take_type();
  form.finish();
  translator.expect_operands(4);
  const Handler handler =
      is_signed(a) ? dot_handler_of<std::int16_t, std::int8_t>(is_signed(b), four, high)
                   : dot_handler_of<std::uint16_t, std::uint8_t>(is_signed(b), four, high);
  translator.build(handler)
      .result(0, ScalarType::kB32)
      .source(1, ScalarType::kB32)
      .source(2, ScalarType::kB32)
      .source(3, ScalarType::kB32)
      .emit();
}

void translate_24(Translator& translator, Form form) {
  const bool with_sum = form.name() == "mad24";
  const bool high = form.take("hi");
  if (!high && !form.take("lo")) form.unsupported();
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(with_sum ? 4 : 3);
  Handler handler = nullptr;
  if (type == ScalarType::kU32) handler = product_24<std::uint32_t>(with_sum, high);
  if (type == ScalarType::kS32) handler = product_24<std::int32_t>(with_sum, high);
  InstructionBuilder builder = translator.build(known(handler, form));
  builder.result(0, type).source(1, type).source(2, type);
  if (with_sum) builder.source(3, type);
  builder.emit();
}

}  // namespace

void translate_integer(Translator& translator, Form form) {
  if (form.name() == "dp4a" || form.name() == "dp2a") return translate_dot(translator, form);
  if (form.name() != "sad") return translate_24(translator, form);
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(4);
  const Handler handler = visit_integer(type, [](auto tag) -> Handler {
    return map_lanes<sum_of_difference<typename decltype(tag)::Type>>;
  });
  translator.build(known(handler, form))
      .result(0, type)
      .source(1, type)
      .source(2, type)
      .source(3, type)
      .emit();
}

}  // namespace loci::cuda_double
