#include "tools/cuda_double/ptx/instructions/carry.h"

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/wide.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

enum Modifier : std::uint32_t { kCarriesOut = 1, kSubtract = 2, kHigh = 4, kSigned = 8 };

template <class T>
T product_of(T a, T b, std::uint32_t modifiers) {
  if ((modifiers & kHigh) == 0) return a * b;
  if ((modifiers & kSigned) == 0) return static_cast<T>((Wide{a} * b) >> (8 * sizeof(T)));
  using Signed = std::make_signed_t<T>;
  const SignedWide wide = SignedWide{static_cast<Signed>(a)} * static_cast<Signed>(b);
  return static_cast<T>(wide >> (8 * sizeof(T)));
}

// Sources: two numbers, with kProduct a third one to add, and the condition code. Results: the sum
// and, if it carries out, the condition code.
template <class T, bool kProduct>
void carrying(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const T* a = warp.source<T>(instruction, 0);
  const T* b = warp.source<T>(instruction, 1);
  const T* c = warp.source<T>(instruction, kProduct ? 2 : 1);
  const LaneMask carry_in = *warp.source<LaneMask>(instruction, kProduct ? 3 : 2);
  T* result = warp.result<T>(instruction);
  const std::uint32_t modifiers = instruction.modifiers;
  LaneMask carry_out = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const T first = kProduct ? product_of(a[lane], b[lane], modifiers) : a[lane];
    const bool in = (carry_in >> lane & 1) != 0;
    const Wide sum = (modifiers & kSubtract) != 0 ? Wide{first} - c[lane] - (in ? 1U : 0U)
                                                  : Wide{first} + c[lane] + (in ? 1U : 0U);
    result[lane] = static_cast<T>(sum);
    carry_out |= static_cast<LaneMask>((sum >> (8 * sizeof(T))) != 0) << lane;
  });
  if ((modifiers & kCarriesOut) == 0) return;
  LaneMask* code = warp.result<LaneMask>(instruction, 1);
  *code = (*code & ~mask) | carry_out;
}

template <bool kProduct>
Handler carrying_handler(ScalarType type) {
  return type_bytes(type) == 8 ? carrying<std::uint64_t, kProduct>
                               : carrying<std::uint32_t, kProduct>;
}

void check_type(ScalarType type) {
  if (!is_integer(type) || type_bytes(type) < 4) {
    throw UnsupportedError("carries are of integers of 32 or 64 bits");
  }
}

}  // namespace

void emit_carrying_sum(Translator& translator, ScalarType type, bool subtract, bool carries_in,
                       bool carries_out) {
  check_type(type);
  translator.expect_operands(3);
  InstructionBuilder builder = translator.build(carrying_handler<false>(type));
  builder.result(0, type);
  if (carries_out) builder.result_ref(translator.carry());
  builder.source(1, type).source(2, type);
  builder.source_ref(carries_in ? translator.carry() : translator.constant_predicate(false));
  builder.modifiers((carries_out ? kCarriesOut : 0U) | (subtract ? kSubtract : 0U)).emit();
}

void emit_carrying_product(Translator& translator, ScalarType type, bool high, bool carries_in,
                           bool carries_out) {
  check_type(type);
  translator.expect_operands(4);
  InstructionBuilder builder = translator.build(carrying_handler<true>(type));
  builder.result(0, type);
  if (carries_out) builder.result_ref(translator.carry());
  builder.source(1, type).source(2, type).source(3, type);
  builder.source_ref(carries_in ? translator.carry() : translator.constant_predicate(false));
  builder
      .modifiers((carries_out ? kCarriesOut : 0U) | (high ? kHigh : 0U) |
                 (is_signed(type) ? kSigned : 0U))
      .emit();
}

void translate_wide_carry(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  const bool carries_out = form.take("cc");
  if (form.name() == "madc") {
    const bool high = form.take("hi");
    if (!high && !form.take("lo")) form.unsupported();
    form.finish();
    return emit_carrying_product(translator, type, high, true, carries_out);
  }
  form.finish();
  emit_carrying_sum(translator, type, form.name() == "subc", true, carries_out);
}

}  // namespace loci::cuda_double
