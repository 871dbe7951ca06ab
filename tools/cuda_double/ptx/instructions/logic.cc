// and, or, xor, not, cnot and lop3.
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class Operation, class T>
T combine(T a, T b) {
  return Operation::apply(a, b);
}
template <class T>
T complement(T value) {
  return static_cast<T>(~value);
}
template <class T>
T is_zero(T value) {
  return value == 0 ? 1 : 0;
}

// Predicates are masks of lanes, which combine at once.
template <class Operation>
void combine_predicates(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const LaneMask value = Operation::apply(*warp.source<LaneMask>(instruction, 0),
                                          *warp.source<LaneMask>(instruction, 1));
  LaneMask* result = warp.result<LaneMask>(instruction);
  *result = (*result & ~mask) | (value & mask);
}
void complement_predicate(Warp& warp, const Instruction& instruction, LaneMask mask) {
  LaneMask* result = warp.result<LaneMask>(instruction);
  *result = (*result & ~mask) | (~*warp.source<LaneMask>(instruction, 0) & mask);
}

template <class Operation>
Handler combine_handler(ScalarType type) {
  if (type == ScalarType::kPred) return combine_predicates<Operation>;
  return visit_integer(type, [](auto tag) -> Handler {
    return map_lanes<combine<Operation, typename decltype(tag)::Type>>;
  });
}

// Any function of three bits: bit n of the table is its value where a, b and c spell n.
std::uint32_t look_up(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t result = 0;
  if ((table & 0x01) != 0) result |= ~a & ~b & ~c;
  if ((table & 0x02) != 0) result |= ~a & ~b & c;
  if ((table & 0x04) != 0) result |= ~a & b & ~c;
  if ((table & 0x08) != 0) result |= ~a & b & c;
  if ((table & 0x10) != 0) result |= a & ~b & ~c;
  if ((table & 0x20) != 0) result |= a & ~b & c;
  if ((table & 0x40) != 0) result |= a & b & ~c;
  if ((table & 0x80) != 0) result |= a & b & c;
  return result;
}

// The data flow is that of a copy: bits that are masked away may be undefined.
void translate_table(Translator& translator, Form form) {
  constexpr ScalarType kWord = ScalarType::kB32;
  (void)form.take("b32");
  form.finish();
  translator.expect_operands(5);
  InstructionBuilder builder = translator.build(map_lanes<look_up>);
  builder.result(0, kWord).source(1, kWord).source(2, kWord).source(3, kWord).source(4, kWord);
  builder.flow(DataFlow::kCopy).emit();
}

}  // namespace

void translate_logic(Translator& translator, Form form) {
  const std::string_view name = form.name();
  if (name == "lop3") return translate_table(translator, form);
  const ScalarType type = form.take_type();
  form.finish();
  if (name == "not" || name == "cnot") {
    translator.expect_operands(2);
    const Handler handler =
        type == ScalarType::kPred
            ? complement_predicate
            : visit_integer(type, [&](auto tag) -> Handler {
                using T = typename decltype(tag)::Type;
                return name == "not" ? map_lanes<complement<T>> : map_lanes<is_zero<T>>;
              });
    translator.build(known(handler, form))
        .result(0, type)
        .source(1, type)
        .flow(DataFlow::kCopy)
        .emit();
    return;
  }
  translator.expect_operands(3);
  const Handler handler = name == "and"  ? combine_handler<And>(type)
                          : name == "or" ? combine_handler<Or>(type)
                                         : combine_handler<Xor>(type);
  const bool settles = type == ScalarType::kPred && name != "xor";
  translator.build(known(handler, form))
      .result(0, type)
      .source(1, type)
      .source(2, type)
      .flow(!settles        ? DataFlow::kCopy
            : name == "and" ? DataFlow::kAnd
                            : DataFlow::kOr)
      .emit();
}

}  // namespace loci::cuda_double
