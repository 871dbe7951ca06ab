// shl, shr and shf.
#include <algorithm>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <class T>
T shift_left(T value, std::uint32_t amount) {
  return amount >= 8 * sizeof(T) ? T{0} : static_cast<T>(value << amount);
}

// Shifts in the sign for signed types.
template <class T>
T shift_right(T value, std::uint32_t amount) {
  constexpr std::uint32_t kBits = 8 * sizeof(T);
  if (std::is_signed_v<T>) return static_cast<T>(value >> std::min(amount, kBits - 1));
  return amount >= kBits ? T{0} : static_cast<T>(value >> amount);
}

// Returns, of the 64 bits b:a, the upper half after a shift to the left, or the lower one after one
// to the right.
template <bool kLeft, bool kWrap>
std::uint32_t funnel(std::uint32_t a, std::uint32_t b, std::uint32_t amount) {
  const std::uint32_t shift = kWrap ? amount & 31 : std::min(amount, 32U);
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(kLeft ? (both << shift) >> 32 : both >> shift);
}

void translate_funnel(Translator& translator, Form form) {
  constexpr ScalarType kWord = ScalarType::kB32;
  const bool left = form.take("l");
  if (!left && !form.take("r")) form.unsupported();
  const bool wrap = form.take("wrap");
  if (!wrap && !form.take("clamp")) form.unsupported();
  (void)form.take("b32");
  form.finish();
  translator.expect_operands(4);
  const Handler handler =
      left ? (wrap ? map_lanes<funnel<true, true>> : map_lanes<funnel<true, false>>)
           : (wrap ? map_lanes<funnel<false, true>> : map_lanes<funnel<false, false>>);
  InstructionBuilder builder = translator.build(handler);
  builder.result(0, kWord).source(1, kWord).source(2, kWord).source(3, kWord);
  builder.flow(DataFlow::kCopy).emit();
}

}  // namespace

void translate_shift(Translator& translator, Form form) {
  if (form.name() == "shf") return translate_funnel(translator, form);
  const bool left = form.name() == "shl";
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(3);
  const Handler handler = visit_integer(type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::Type;
    return left ? map_lanes<shift_left<std::make_unsigned_t<T>>> : map_lanes<shift_right<T>>;
  });
  translator.build(known(handler, form))
      .result(0, type)
      .source(1, type)
      .source(2, ScalarType::kU32)
      .flow(DataFlow::kCopy)
      .emit();
}

}  // namespace loci::cuda_double
