// shfl, vote, match, redux, elect, activemask and bar.warp.
#include "tools/cuda_double/ptx/instructions/collectives.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/run/collective.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

enum class Shuffle : std::uint8_t { kUp, kDown, kButterfly, kIndex };

// The lane that a lane reads, and whether it is in range; out of range it reads itself. The bound
// is in the low five bits of the third operand, the width of segments above them, as in the ISA.
template <Shuffle kKind>
std::pair<std::uint32_t, bool> shuffle_source(std::uint32_t lane, std::uint32_t operand,
                                              std::uint32_t clamp_and_segment) {
  const std::uint32_t amount = operand & 31;
  const std::uint32_t clamp = clamp_and_segment & 31;
  const std::uint32_t segment = clamp_and_segment >> 8 & 31;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
  const std::uint32_t lowest = lane & segment;
  std::int32_t source = 0;
  bool in_range = false;
  switch (kKind) {
    case Shuffle::kUp:
      source = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(amount);
      in_range = source >= static_cast<std::int32_t>(highest);
      break;
    case Shuffle::kDown:
      source = static_cast<std::int32_t>(lane + amount);
      in_range = source <= static_cast<std::int32_t>(highest);
      break;
    case Shuffle::kButterfly:
      source = static_cast<std::int32_t>(lane ^ amount);
      in_range = source <= static_cast<std::int32_t>(highest);
      break;
    case Shuffle::kIndex:
      source = static_cast<std::int32_t>(lowest | (amount & ~segment));
      in_range = source <= static_cast<std::int32_t>(highest);
      break;
  }
  return {in_range ? static_cast<std::uint32_t>(source) : lane, in_range};
}

template <Shuffle kKind>
void shuffle(CollectiveData& data) {
  for_each_lane(data.members, [&](std::uint32_t lane) {
    const auto [source, in_range] =
        shuffle_source<kKind>(lane, static_cast<std::uint32_t>(data.second[lane]),
                              static_cast<std::uint32_t>(data.third[lane]));
    data.value[lane] = data.first[source];
    data.from[lane] = static_cast<std::uint8_t>(source);
    data.predicate |= static_cast<LaneMask>(in_range) << lane;
  });
}

LaneMask ballot_of(const CollectiveData& data) {
  LaneMask votes = 0;
  for_each_lane(data.members, [&](std::uint32_t lane) {
    votes |= static_cast<LaneMask>(data.first[lane] != 0) << lane;
  });
  return votes;
}

void put_all(CollectiveData& data, std::uint64_t value, bool predicate) {
  for_each_lane(data.members, [&](std::uint32_t lane) {
    data.value[lane] = value;
    data.from[lane] = kLanes;
  });
  data.predicate = predicate ? data.members : 0;
}

void vote_all(CollectiveData& data) { put_all(data, 0, ballot_of(data) == data.members); }
void vote_any(CollectiveData& data) { put_all(data, 0, ballot_of(data) != 0); }
void vote_uniform(CollectiveData& data) {
  const LaneMask votes = ballot_of(data);
  put_all(data, 0, votes == 0 || votes == data.members);
}
void vote_ballot(CollectiveData& data) { put_all(data, ballot_of(data), false); }

void match_any(CollectiveData& data) {
  for_each_lane(data.members, [&](std::uint32_t lane) {
    LaneMask same = 0;
    for_each_lane(data.members, [&](std::uint32_t other) {
      same |= static_cast<LaneMask>(data.first[other] == data.first[lane]) << other;
    });
    data.value[lane] = same;
    data.from[lane] = kLanes;
  });
}

void match_all(CollectiveData& data) {
  const std::uint64_t first = data.first[lowest_lane(data.members)];
  bool same = true;
  for_each_lane(data.members, [&](std::uint32_t lane) { same &= data.first[lane] == first; });
  put_all(data, same ? data.members : 0, same);
}

void elect(CollectiveData& data) {
  const std::uint32_t leader = lowest_lane(data.members);
  put_all(data, leader, false);
  data.predicate = LaneMask{1} << leader;
}

void only_meet(CollectiveData& data) { put_all(data, 0, false); }

template <class T, T (*kJoin)(T, T)>
void reduce(CollectiveData& data) {
  LaneMask rest = data.members;
  auto all = static_cast<T>(data.first[lowest_lane(rest)]);
  for_each_lane(rest & (rest - 1),
                [&](std::uint32_t lane) { all = kJoin(all, static_cast<T>(data.first[lane])); });
  put_all(data, static_cast<std::uint32_t>(all), false);
}
template <class T>
T sum(T a, T b) {
  return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
template <class T>
T least(T a, T b) {
  return std::min(a, b);
}
template <class T>
T greatest(T a, T b) {
  return std::max(a, b);
}
std::uint32_t bits_and(std::uint32_t a, std::uint32_t b) { return a & b; }
std::uint32_t bits_or(std::uint32_t a, std::uint32_t b) { return a | b; }
std::uint32_t bits_xor(std::uint32_t a, std::uint32_t b) { return a ^ b; }

template <class T>
CollectiveFunction reduction(std::string_view name) {
  if (name == "add") return reduce<T, sum<T>>;
  if (name == "min") return reduce<T, least<T>>;
  if (name == "max") return reduce<T, greatest<T>>;
  return nullptr;
}

CollectiveFunction reduction(std::string_view name, ScalarType type) {
  if (type == ScalarType::kU32) return reduction<std::uint32_t>(name);
  if (type == ScalarType::kS32) return reduction<std::int32_t>(name);
  if (type != ScalarType::kB32) return nullptr;
  if (name == "and") return reduce<std::uint32_t, bits_and>;
  if (name == "or") return reduce<std::uint32_t, bits_or>;
  return name == "xor" ? reduce<std::uint32_t, bits_xor> : nullptr;
}

constexpr ScalarType kWord = ScalarType::kB32;

// Result, perhaps with a predicate behind it.
void add_results(Translator& translator, InstructionBuilder& builder, bool with_predicate) {
  OperandSyntax value = translator.operand(0);
  const std::string_view predicate = value.second;
  value.second = {};
  builder.result(value, kWord);
  if (!with_predicate) return;
  if (predicate.empty() || predicate == "_") {
    builder.result_ref(translator.temporary(0));
    return;
  }
  OperandSyntax second;
  second.kind = OperandSyntax::Kind::kName;
  second.name = predicate;
  builder.result(second, ScalarType::kPred);
}

void emit(Translator& translator, InstructionBuilder& builder, CollectiveOperation operation) {
  FunctionCode& function = translator.function();
  function.collectives.push_back(operation);
  builder.raw().extra = &function.collectives.back();
  builder.control(Control::kCollective).flow(DataFlow::kOwn).emit();
}

void require_sync(Form& form) {
  if (!form.take("sync")) form.unsupported();
}

void translate_shuffle(Translator& translator, Form& form) {
  require_sync(form);
  CollectiveFunction function = nullptr;
  if (form.take("up")) function = shuffle<Shuffle::kUp>;
  if (form.take("down")) function = shuffle<Shuffle::kDown>;
  if (form.take("bfly")) function = shuffle<Shuffle::kButterfly>;
  if (form.take("idx")) function = shuffle<Shuffle::kIndex>;
  if (function == nullptr || !form.take("b32")) form.unsupported();
  form.finish();
  translator.expect_operands(5);
  InstructionBuilder builder = translator.build(nullptr);
  add_results(translator, builder, true);
  builder.source(4, kWord).source(1, kWord).source(2, kWord).source(3, kWord);
  emit(translator, builder,
       {.function = function, .value_bytes = 4, .has_predicate = true, .operands = 3});
}

void translate_vote(Translator& translator, Form& form) {
  require_sync(form);
  CollectiveOperation operation{.operands = 1, .operand_bytes = 0};
  if (form.take("all")) operation.function = vote_all;
  if (form.take("any")) operation.function = vote_any;
  if (form.take("uni")) operation.function = vote_uniform;
  const bool ballot = form.take("ballot");
  if (ballot) operation.function = vote_ballot;
  if (operation.function == nullptr || !form.take(ballot ? "b32" : "pred")) form.unsupported();
  form.finish();
  translator.expect_operands(3);
  InstructionBuilder builder = translator.build(nullptr);
  builder.result(0, ballot ? kWord : ScalarType::kPred);
  operation.value_bytes = ballot ? 4 : 0;
  operation.has_predicate = !ballot;
  builder.source(2, kWord).source(1, ScalarType::kPred);
  emit(translator, builder, operation);
}

void translate_match(Translator& translator, Form& form) {
  const bool all = form.take("all");
  if (!all && !form.take("any")) form.unsupported();
  require_sync(form);
  const ScalarType type = form.take_type();
  form.finish();
  if (type != kWord && type != ScalarType::kB64) form.unsupported();
  translator.expect_operands(3);
  InstructionBuilder builder = translator.build(nullptr);
  add_results(translator, builder, all);
  builder.source(2, kWord).source(1, type);
  emit(translator, builder,
       {.function = all ? match_all : match_any,
        .value_bytes = 4,
        .has_predicate = all,
        .operands = 1,
        .operand_bytes = static_cast<std::uint8_t>(type_bytes(type))});
}

void translate_reduction(Translator& translator, Form& form) {
  require_sync(form);
  const std::string_view name = form.take_one_of({"add", "min", "max", "and", "or", "xor"});
  const ScalarType type = form.take_type();
  form.finish();
  const CollectiveFunction function = reduction(name, type);
  if (function == nullptr) form.unsupported();
  translator.expect_operands(3);
  InstructionBuilder builder = translator.build(nullptr);
  builder.result(0, type).source(2, kWord).source(1, type);
  emit(translator, builder, {.function = function, .value_bytes = 4, .operands = 1});
}

void translate_election(Translator& translator, Form& form) {
  require_sync(form);
  form.finish();
  translator.expect_operands(2);
  InstructionBuilder builder = translator.build(nullptr);
  add_results(translator, builder, true);
  builder.source(1, kWord);
  emit(translator, builder, {.function = elect, .value_bytes = 4, .has_predicate = true});
}

void active_mask(Warp& warp, const Instruction& instruction, LaneMask mask) {
  auto* result = warp.result<std::uint32_t>(instruction);
  for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = mask; });
}

}  // namespace

void translate_warp_barrier(Translator& translator) {
  translator.expect_operands(1);
  InstructionBuilder builder = translator.build(nullptr);
  builder.source(0, kWord);
  emit(translator, builder, {.function = only_meet, .synchronises = true});
}

void translate_collective(Translator& translator, Form form) {
  const std::string_view name = form.name();
  if (name == "shfl") return translate_shuffle(translator, form);
  if (name == "vote") return translate_vote(translator, form);
  if (name == "match") return translate_match(translator, form);
  if (name == "redux") return translate_reduction(translator, form);
  if (name == "elect") return translate_election(translator, form);
  if (!form.take("b32")) form.unsupported();
  form.finish();
  translator.expect_operands(1);
  translator.build(active_mask).result(0, kWord).emit();
}

}  // namespace loci::cuda_double
