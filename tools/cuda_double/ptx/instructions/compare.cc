// setp and set.
#include <bit>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

enum class Relation : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kOrdered
};

// How a result is joined with a predicate.
enum class Join : std::uint8_t { kNone, kAnd, kOr, kXor };

enum Modifier : std::uint32_t {
  kJoinMask = 3,
  kUnordered = 4,   // true if one is NaN
  kNegated = 8,     // .nan is not .num
  kHasSecond = 16,  // the second result is there
  kFlush = 32,
};

struct Comparison {
  Relation relation = Relation::kEqual;
  bool unordered = false;
  bool negated = false;
};

template <class T>
T number_of(T value) {
  return value;
}
float number_of(Half value) { return to_float(value); }
float number_of(Bf16 value) { return to_float(value); }

template <Relation kRelation, class T>
bool holds(T a, T b) {
  switch (kRelation) {
    case Relation::kEqual: return a == b;
    case Relation::kNotEqual: return a < b || a > b;
    case Relation::kLess: return a < b;
    case Relation::kLessEqual: return a <= b;
    case Relation::kGreater: return a > b;
    case Relation::kGreaterEqual: return a >= b;
    case Relation::kOrdered: return a == a && b == b;
  }
  return false;
}

template <Relation kRelation, class T>
bool compared(T first, T second, std::uint32_t modifiers) {
  auto a = number_of(first);
  auto b = number_of(second);
  if constexpr (std::is_same_v<T, float>) {
    if ((modifiers & kFlush) != 0) {
      a = flushed(a);
      b = flushed(b);
    }
  }
  const bool nan = a != a || b != b;
  const bool value = nan && (modifiers & kUnordered) != 0 ? true : holds<kRelation>(a, b);
  return value != ((modifiers & kNegated) != 0);
}

LaneMask joined(LaneMask value, LaneMask with, std::uint32_t modifiers) {
  switch (static_cast<Join>(modifiers & kJoinMask)) {
    case Join::kAnd: return value & with;
    case Join::kOr: return value | with;
    case Join::kXor: return value ^ with;
    case Join::kNone: break;
  }
  return value;
}

void put_predicate(LaneMask* result, LaneMask value, LaneMask mask) {
  *result = (*result & ~mask) | (value & mask);
}

// Sources: two values and the predicate to join with. Results: one predicate or two, the second of
// the opposite.
template <class T, Relation kRelation>
void set_predicate(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const T* a = warp.source<T>(instruction, 0);
  const T* b = warp.source<T>(instruction, 1);
  const LaneMask with = *warp.source<LaneMask>(instruction, 2);
  const std::uint32_t modifiers = instruction.modifiers;
  LaneMask value = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    value |= static_cast<LaneMask>(compared<kRelation>(a[lane], b[lane], modifiers)) << lane;
  });
  put_predicate(warp.result<LaneMask>(instruction), joined(value, with, modifiers), mask);
  if ((modifiers & kHasSecond) == 0) return;
  put_predicate(warp.result<LaneMask>(instruction, 1), joined(~value, with, modifiers), mask);
}

// Compares pairs: the results are of the low and of the high halves.
template <class T, Relation kRelation>
void set_pair_predicates(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const auto* a = warp.source<Pair<T>>(instruction, 0);
  const auto* b = warp.source<Pair<T>>(instruction, 1);
  const LaneMask with = *warp.source<LaneMask>(instruction, 2);
  const std::uint32_t modifiers = instruction.modifiers;
  LaneMask low = 0;
  LaneMask high = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    low |= static_cast<LaneMask>(compared<kRelation>(a[lane].low, b[lane].low, modifiers)) << lane;
    high |= static_cast<LaneMask>(compared<kRelation>(a[lane].high, b[lane].high, modifiers))
            << lane;
  });
  put_predicate(warp.result<LaneMask>(instruction), joined(low, with, modifiers), mask);
  if ((modifiers & kHasSecond) == 0) return;
  put_predicate(warp.result<LaneMask>(instruction, 1), joined(high, with, modifiers), mask);
}

// All ones or 1.0 where the comparison holds.
template <class T, Relation kRelation, class Result>
void set_value(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const T* a = warp.source<T>(instruction, 0);
  const T* b = warp.source<T>(instruction, 1);
  const LaneMask with = *warp.source<LaneMask>(instruction, 2);
  auto* result = warp.result<Result>(instruction);
  const auto one = static_cast<Result>(instruction.immediate);
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask value = compared<kRelation>(a[lane], b[lane], instruction.modifiers) ? 1 : 0;
    result[lane] = joined(value, with >> lane & 1, instruction.modifiers) != 0 ? one : Result{0};
  });
}

template <class T, Relation kRelation>
void set_pair_value(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const auto* a = warp.source<Pair<T>>(instruction, 0);
  const auto* b = warp.source<Pair<T>>(instruction, 1);
  const LaneMask with = *warp.source<LaneMask>(instruction, 2);
  auto* result = warp.result<std::uint32_t>(instruction);
  const auto one = static_cast<std::uint32_t>(instruction.immediate);
  const std::uint32_t modifiers = instruction.modifiers;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask other = with >> lane & 1;
    const LaneMask low = compared<kRelation>(a[lane].low, b[lane].low, modifiers) ? 1 : 0;
    const LaneMask high = compared<kRelation>(a[lane].high, b[lane].high, modifiers) ? 1 : 0;
    result[lane] = (joined(low, other, modifiers) != 0 ? one : 0) |
                   (joined(high, other, modifiers) != 0 ? one << 16 : 0);
  });
}

template <class Visit>
Handler visit_relation(Relation relation, const Visit& visit) {
  switch (relation) {
    case Relation::kEqual: return visit.template operator()<Relation::kEqual>();
    case Relation::kNotEqual: return visit.template operator()<Relation::kNotEqual>();
    case Relation::kLess: return visit.template operator()<Relation::kLess>();
    case Relation::kLessEqual: return visit.template operator()<Relation::kLessEqual>();
    case Relation::kGreater: return visit.template operator()<Relation::kGreater>();
    case Relation::kGreaterEqual: return visit.template operator()<Relation::kGreaterEqual>();
    case Relation::kOrdered: return visit.template operator()<Relation::kOrdered>();
  }
  return nullptr;
}

template <class Visit>
Handler visit_number(ScalarType type, const Visit& visit) {
  return is_float(type) ? visit_float(type, visit) : visit_integer(type, visit);
}

std::optional<Comparison> take_comparison(Form& form) {
  const std::string_view name =
      form.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                        "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (name.empty()) return std::nullopt;
  Comparison result;
  if (name == "num" || name == "nan") return Comparison{Relation::kOrdered, false, name == "nan"};
  result.unordered = name.size() == 3;
  const std::string_view stem = name.substr(0, 2);
  if (stem == "ne") result.relation = Relation::kNotEqual;
  if (stem == "lt" || stem == "lo") result.relation = Relation::kLess;
  if (stem == "le" || stem == "ls") result.relation = Relation::kLessEqual;
  if (stem == "gt" || stem == "hi") result.relation = Relation::kGreater;
  if (stem == "ge" || stem == "hs") result.relation = Relation::kGreaterEqual;
  return result;
}

std::uint32_t take_modifiers(Form& form, const Comparison& comparison) {
  const std::string_view join = form.take_one_of({"and", "or", "xor"});
  const Join kind = join == "and"   ? Join::kAnd
                    : join == "or"  ? Join::kOr
                    : join == "xor" ? Join::kXor
                                    : Join::kNone;
  return static_cast<std::uint32_t>(kind) | (comparison.unordered ? kUnordered : 0U) |
         (comparison.negated ? kNegated : 0U) | (form.take("ftz") ? kFlush : 0U);
}

bool is_pair(ScalarType type) { return type == ScalarType::kF16x2 || type == ScalarType::kBf16x2; }

void add_sources(Translator& translator, InstructionBuilder& builder, ScalarType type,
                 std::uint32_t modifiers) {
  const bool has_join = (modifiers & kJoinMask) != 0;
  translator.expect_operands(has_join ? 4 : 3);
  builder.source(1, type).source(2, type);
  if (has_join) {
    builder.source(3, ScalarType::kPred);
  } else {
    builder.source_ref(translator.constant_predicate(false));
  }
}

void translate_predicate(Translator& translator, Form& form, const Comparison& comparison) {
  const ScalarType type = form.take_type();
  std::uint32_t modifiers = take_modifiers(form, comparison);
  form.finish();
  const Handler handler = visit_relation(comparison.relation, [&]<Relation kRelation>() -> Handler {
    if (type == ScalarType::kF16x2) return set_pair_predicates<Half, kRelation>;
    if (type == ScalarType::kBf16x2) return set_pair_predicates<Bf16, kRelation>;
    return visit_number(type, [](auto tag) -> Handler {
      return set_predicate<typename decltype(tag)::Type, kRelation>;
    });
  });
  InstructionBuilder builder = translator.build(known(handler, form));
  OperandSyntax first = translator.operand(0);
  const std::string_view second = first.second;
  first.second = {};
  builder.result(first, ScalarType::kPred);
  if (!second.empty()) {
    modifiers |= kHasSecond;
    OperandSyntax other = first;
    other.name = second;
    other.kind = second == "_" ? OperandSyntax::Kind::kSink : OperandSyntax::Kind::kName;
    builder.result(other, ScalarType::kPred);
  }
  add_sources(translator, builder, type, modifiers);
  const auto join = static_cast<Join>(modifiers & kJoinMask);
  if (join == Join::kAnd) builder.flow(DataFlow::kAnd);
  if (join == Join::kOr) builder.flow(DataFlow::kOr);
  builder.modifiers(modifiers).emit();
}

template <Relation kRelation>
Handler value_handler(ScalarType result, ScalarType type) {
  if (is_pair(type)) {
    if (type_bytes(result) != 4) return nullptr;
    return type == ScalarType::kF16x2 ? set_pair_value<Half, kRelation>
                                      : set_pair_value<Bf16, kRelation>;
  }
  return visit_number(type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::Type;
    if (type_bytes(result) == 2) return set_value<T, kRelation, std::uint16_t>;
    return set_value<T, kRelation, std::uint32_t>;
  });
}

// The bits of what the result is where the comparison holds; of pairs, of a half of it.
std::int64_t true_value(ScalarType result, ScalarType type) {
  switch (result) {
    case ScalarType::kF32: return std::bit_cast<std::uint32_t>(1.0F);
    case ScalarType::kF16:
    case ScalarType::kF16x2: return round_to<Half>(1.0).bits;
    case ScalarType::kBf16:
    case ScalarType::kBf16x2: return round_to<Bf16>(1.0).bits;
    default: return is_pair(type) || type_bytes(result) == 2 ? 0xffff : 0xffffffff;
  }
}

void translate_value(Translator& translator, Form& form, const Comparison& comparison) {
  const ScalarType result = form.take_type();
  const ScalarType type = form.take_type();
  const std::uint32_t modifiers = take_modifiers(form, comparison);
  form.finish();
  const Handler handler = visit_relation(comparison.relation, [&]<Relation kRelation>() -> Handler {
    return value_handler<kRelation>(result, type);
  });
  if (type_bytes(result) != 4 && type_bytes(result) != 2) form.unsupported();
  InstructionBuilder builder = translator.build(known(handler, form));
  builder.result(0, result);
  add_sources(translator, builder, type, modifiers);
  builder.modifiers(modifiers).immediate(true_value(result, type)).emit();
}

}  // namespace

void translate_compare(Translator& translator, Form form) {
  const std::optional<Comparison> comparison = take_comparison(form);
  if (!comparison) form.unsupported();
  if (form.name() == "setp") return translate_predicate(translator, form, *comparison);
  translate_value(translator, form, *comparison);
}

}  // namespace loci::cuda_double
