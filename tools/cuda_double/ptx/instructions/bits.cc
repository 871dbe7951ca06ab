// popc, clz, bfind, brev, bfe, bfi, bmsk, szext, fns and prmt.
#include <algorithm>
#include <bit>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <class T>
std::uint32_t count_ones(T value) {
  return static_cast<std::uint32_t>(std::popcount(value));
}
template <class T>
std::uint32_t count_leading_zeros(T value) {
  return static_cast<std::uint32_t>(std::countl_zero(value));
}

// The highest bit that is not the sign's; all ones if there is none.
template <class T, bool kShiftAmount>
std::uint32_t find_highest(T value) {
  using Unsigned = std::make_unsigned_t<T>;
  auto bits = static_cast<Unsigned>(value);
  if (std::is_signed_v<T> && value < 0) bits = static_cast<Unsigned>(~bits);
  if (bits == 0) return 0xffffffff;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
  return kShiftAmount ? zeros : 8 * sizeof(T) - 1 - zeros;
}

template <class T>
T reverse(T value) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) {
    result = static_cast<T>(result << 1 | (value & 1));
    value = static_cast<T>(value >> 1);
  }
  return result;
}

// Bits beyond the register are the sign's, or zero.
template <class T>
T extract_field(T value, std::uint32_t position, std::uint32_t length) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr std::uint32_t kBits = 8 * sizeof(T);
  const std::uint32_t begin = position & 0xff;
  const std::uint32_t count = length & 0xff;
  if (count == 0) return 0;
  const auto bits = static_cast<Unsigned>(value);
  const bool is_negative =
      std::is_signed_v<T> && (bits >> std::min(begin + count - 1, kBits - 1) & 1) != 0;
  Unsigned field = begin < kBits ? static_cast<Unsigned>(bits >> begin) : Unsigned{0};
  if (count < kBits) field &= static_cast<Unsigned>((Unsigned{1} << count) - 1);
  const std::uint32_t known = begin < kBits ? std::min(count, kBits - begin) : 0;
  if (is_negative && known < kBits) field |= static_cast<Unsigned>(~Unsigned{0} << known);
  return static_cast<T>(field);
}

template <class T>
T insert_field(T field, T value, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t kBits = 8 * sizeof(T);
  const std::uint32_t begin = position & 0xff;
  const std::uint32_t count = length & 0xff;
  if (count == 0 || begin >= kBits) return value;
  const T ones = count >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
  const T mask = static_cast<T>(ones << begin);
  return static_cast<T>((value & ~mask) | (static_cast<T>(field << begin) & mask));
}

template <bool kWrap>
std::uint32_t bit_mask(std::uint32_t position, std::uint32_t width) {
  if (kWrap) {
    position &= 31;
    width &= 31;
  }
  if (position >= 32 || width == 0) return 0;
  const std::uint32_t ones = width >= 32 ? 0xffffffff : (1U << width) - 1;
  return ones << position;
}

template <class T, bool kWrap>
T extend_sign(T value, std::uint32_t width) {
  if (kWrap) width &= 31;
  if (width >= 32) return value;
  if (width == 0) return 0;
  return extract_field(value, 0, width);
}

// The position of the n-th set bit at or above (n > 0), or at or below, `base`.
std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xffffffff;
  const int step = offset > 0 ? 1 : -1;
  std::int32_t left = offset > 0 ? offset : -offset;
  for (auto position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
  }
  return 0xffffffff;
}

std::uint32_t selected_byte(std::uint64_t bytes, std::uint32_t selector) {
  const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (selector & 7)) & 0xff);
  if ((selector & 8) == 0) return byte;
  return (byte & 0x80) != 0 ? 0xff : 0;
}

std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selectors) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= selected_byte(bytes, selectors >> (4 * i) & 0xf) << (8 * i);
  }
  return result;
}

// The modes of prmt, each with its selectors for the four values of the third operand's low bits.
enum class Permutation : std::uint8_t {
  kForward,
  kBackward,
  kRepeat,
  kClampLeft,
  kClampRight,
  kHalf
};
constexpr std::uint32_t kSelectors[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
template <Permutation kMode>
std::uint32_t permute_by(std::uint32_t a, std::uint32_t b, std::uint32_t control) {
  return permute(a, b, kSelectors[static_cast<std::size_t>(kMode)][control & 3]);
}

Handler permutation(Form& form) {
  const std::string_view mode = form.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (mode == "f4e") return map_lanes<permute_by<Permutation::kForward>>;
  if (mode == "b4e") return map_lanes<permute_by<Permutation::kBackward>>;
  if (mode == "rc8") return map_lanes<permute_by<Permutation::kRepeat>>;
  if (mode == "ecl") return map_lanes<permute_by<Permutation::kClampLeft>>;
  if (mode == "ecr") return map_lanes<permute_by<Permutation::kClampRight>>;
  if (mode == "rc16") return map_lanes<permute_by<Permutation::kHalf>>;
  return map_lanes<permute>;
}

constexpr ScalarType kWord = ScalarType::kB32;

void translate_permute(Translator& translator, Form form) {
  (void)form.take("b32");
  const Handler handler = permutation(form);
  form.finish();
  translator.expect_operands(4);
  InstructionBuilder builder = translator.build(handler);
  builder.result(0, kWord).source(1, kWord).source(2, kWord).source(3, kWord);
  builder.flow(DataFlow::kCopy).emit();
}

void translate_mask(Translator& translator, Form form) {
  const bool wrap = form.take("wrap");
  if (!wrap && !form.take("clamp")) form.unsupported();
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(3);
  Handler handler = nullptr;
  if (form.name() == "bmsk") {
    handler = wrap ? map_lanes<bit_mask<true>> : map_lanes<bit_mask<false>>;
  } else if (is_signed(type)) {
    handler = wrap ? map_lanes<extend_sign<std::int32_t, true>>
                   : map_lanes<extend_sign<std::int32_t, false>>;
  } else {
    handler = wrap ? map_lanes<extend_sign<std::uint32_t, true>>
                   : map_lanes<extend_sign<std::uint32_t, false>>;
  }
  translator.build(handler).result(0, kWord).source(1, kWord).source(2, kWord).emit();
}

template <class T>
Handler one_source(std::string_view name) {
  using Unsigned = std::make_unsigned_t<T>;
  if (name == "popc") return map_lanes<count_ones<Unsigned>>;
  if (name == "clz") return map_lanes<count_leading_zeros<Unsigned>>;
  if (name == "brev") return map_lanes<reverse<Unsigned>>;
  return nullptr;
}

template <class T>
Handler wide_handler(const Form& form, bool shift_amount) {
  if constexpr (sizeof(T) < 4) {
    return nullptr;
  } else {
    if (form.name() == "bfe") return map_lanes<extract_field<T>>;
    if (form.name() == "bfi") return map_lanes<insert_field<std::make_unsigned_t<T>>>;
    if (form.name() != "bfind") return one_source<T>(form.name());
    return shift_amount ? map_lanes<find_highest<T, true>> : map_lanes<find_highest<T, false>>;
  }
}

void translate_nth(Translator& translator, Form form) {
  (void)form.take("b32");
  form.finish();
  translator.expect_operands(4);
  translator.build(map_lanes<find_nth_set>)
      .result(0, kWord)
      .source(1, kWord)
      .source(2, kWord)
      .source(3, kWord)
      .emit();
}

}  // namespace

void translate_bits(Translator& translator, Form form) {
  const std::string_view name = form.name();
  if (name == "prmt") return translate_permute(translator, form);
  if (name == "bmsk" || name == "szext") return translate_mask(translator, form);
  if (name == "fns") return translate_nth(translator, form);
  const ScalarType type = form.take_type();
  const bool shift_amount = form.take("shiftamt");
  form.finish();
  const Handler handler = visit_integer(type, [&](auto tag) {
    return wide_handler<typename decltype(tag)::Type>(form, shift_amount);
  });
  const unsigned sources = name == "bfe" ? 3 : name == "bfi" ? 4 : 1;
  translator.expect_operands(sources + 1);
  InstructionBuilder builder = translator.build(known(handler, form));
  builder.result(0, name == "brev" || sources > 1 ? type : kWord).source(1, type);
  if (name == "bfi") builder.source(2, type);
  if (sources > 1) builder.source(sources - 1, kWord).source(sources, kWord);
  if (name == "brev" || sources > 1) builder.flow(DataFlow::kCopy);
  builder.emit();
}

}  // namespace loci::cuda_double
