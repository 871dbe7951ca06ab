#include "tools/cuda_double/ptx/run/undefined.h"

#include <fmt/format.h>

namespace loci::cuda_double {
namespace {

std::string register_name(const FunctionCode& function, RegisterRef ref) {
  for (const RegisterRange& range : function.register_ranges) {
    if (ref < range.first || ref >= range.first + range.count * range.stride) continue;
    if (!range.numbered) return range.name;
    return fmt::format("{}{}", range.name, (ref - range.first) / range.stride);
  }
  return "a value";
}

[[noreturn]] void raise_undefined(const Warp& warp, RegisterRef ref, LaneMask lanes,
                                  std::string_view role) {
  const FunctionCode& function = *warp.frame->function;
  const RegisterState& state = *warp.state(ref);
  const std::string name = register_name(function, ref);
  if (state.origin == 0) {
    raise_fault(warp, FaultKind::kUndefinedValue, lowest_lane(lanes),
                fmt::format("uses {} as {}, and it was never set", name, role));
  }
  const Place& place = function.places[state.origin - 1];
  const SourceLine line = source_line(function, state.origin - 1);
  raise_fault(
      warp, FaultKind::kUndefinedValue, lowest_lane(lanes),
      fmt::format("uses {} as {}, which comes from memory that was never written, read at "
                  "{}{}PTX line {}",
                  name, role, line.source, line.source.empty() ? "" : ", ", place.ptx_line));
}

// Returns the states of an instruction's sources, all of them together.
RegisterState sources_of(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  RegisterState all;
  for (unsigned i = 0; i < instruction.sources; ++i) {
    const RegisterState* state = warp.state(instruction.operands[instruction.results + i]);
    if (state == nullptr || (state->undefined & mask) == 0) continue;
    all.undefined |= state->undefined & mask;
    all.computed |= state->computed & mask;
    all.origin = state->origin;
  }
  return all;
}

RegisterState selected_of(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  const RegisterRef* sources = instruction.operands + instruction.results;
  const RegisterRef chooser = sources[instruction.sources - 1];
  const RegisterState* choice = warp.state(chooser);
  if (choice != nullptr && (choice->undefined & mask) != 0) {
    return sources_of(warp, instruction, mask);
  }
  const LaneMask first = warp.predicate(chooser);
  RegisterState all;
  for (unsigned i = 0; i < 2; ++i) {
    const RegisterState* state = warp.state(sources[i]);
    const LaneMask lanes = mask & (i == 0 ? first : ~first);
    if (state == nullptr || (state->undefined & lanes) == 0) continue;
    all.undefined |= state->undefined & lanes;
    all.computed |= state->computed & lanes;
    all.origin = state->origin;
  }
  return all;
}

// Lanes in which a defined predicate settles the result. Of two sources both are predicates, of
// three the last.
LaneMask settled_lanes(const Warp& warp, const Instruction& instruction) {
  const bool is_and = instruction.flow == DataFlow::kAnd;
  LaneMask settled = 0;
  for (unsigned i = instruction.sources == 2 ? 0 : 2; i < instruction.sources; ++i) {
    const RegisterRef ref = instruction.operands[instruction.results + i];
    const RegisterState* state = warp.state(ref);
    const LaneMask value = warp.predicate(ref);
    settled |= (is_and ? ~value : value) & ~(state == nullptr ? 0 : state->undefined);
  }
  return settled;
}

RegisterState joined_of(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  RegisterState all = sources_of(warp, instruction, mask);
  if (all.undefined == 0) return all;
  all.undefined &= ~settled_lanes(warp, instruction);
  all.computed = all.undefined;
  return all;
}

RegisterState result_of(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  switch (instruction.flow) {
    case DataFlow::kSelect: return selected_of(warp, instruction, mask);
    case DataFlow::kAnd:
    case DataFlow::kOr: return joined_of(warp, instruction, mask);
    default: return sources_of(warp, instruction, mask);
  }
}

}  // namespace

void require_defined(const Warp& warp, RegisterRef ref, LaneMask mask, std::string_view role) {
  const RegisterState* state = warp.state(ref);
  if (state == nullptr || (state->undefined & mask) == 0) return;
  raise_undefined(warp, ref, state->undefined & mask, role);
}

void require_not_computed(const Warp& warp, RegisterRef ref, LaneMask mask, std::string_view role) {
  const RegisterState* state = warp.state(ref);
  if (state == nullptr || (state->computed & mask) == 0) return;
  raise_undefined(warp, ref, state->computed & mask, role);
}

void propagate_undefined(Warp& warp, const Instruction& instruction, LaneMask mask) {
  if (instruction.flow == DataFlow::kOwn || instruction.results == 0) return;
  RegisterState all = result_of(warp, instruction, mask);
  if (instruction.flow == DataFlow::kCompute) all.computed = all.undefined;
  for (unsigned i = 0; i < instruction.results; ++i) {
    RegisterState* state = warp.state(instruction.operands[i]);
    if (state == nullptr) continue;
    state->undefined = (state->undefined & ~mask) | all.undefined;
    state->computed = (state->computed & ~mask) | all.computed;
    if (all.undefined != 0) state->origin = all.origin;
  }
}

}  // namespace loci::cuda_double
