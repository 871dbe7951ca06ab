#include "tools/cuda_double/ptx/run/calls.h"

#include <fmt/format.h>

#include <cstring>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/divergence.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kMostDepth = 1024;
constexpr std::byte kPoison{DeviceMemory::kPoison};

std::byte* local_of(Warp& warp, const Frame& frame, const Formal& formal, std::uint32_t lane) {
  return warp.local.data() + std::size_t{lane} * warp.local_stride + frame.local_base +
         formal.local_offset;
}

RegisterState* register_state(Frame& frame, RegisterRef ref) {
  if (frame.states.empty() || (ref & kConstantBit) != 0) return nullptr;
  return &frame.states[ref / kRegisterUnit];
}

std::uint8_t* states_of(Warp& warp, const Frame& frame, const Formal& formal, std::uint32_t lane) {
  return warp.local_states.data() + std::size_t{lane} * warp.local_stride + frame.local_base +
         formal.local_offset;
}

// Returns the state of each byte of a formal: if it was written.
std::vector<std::uint8_t> read_states(Warp& warp, Frame& frame, const Formal& formal,
                                      std::uint32_t lane) {
  std::vector<std::uint8_t> states(formal.bytes, static_cast<std::uint8_t>(ByteState::kWritten));
  if (formal.reg == kNoRegister) {
    const std::uint8_t* from = states_of(warp, frame, formal, lane);
    states.assign(from, from + formal.bytes);
  } else if (const RegisterState* state = register_state(frame, formal.reg)) {
    const bool undefined = (state->undefined >> lane & 1) != 0;
    const bool computed = (state->computed >> lane & 1) != 0;
    if (undefined) {
      const ByteState value = computed ? ByteState::kUndefined : ByteState::kUnwritten;
      states.assign(formal.bytes, static_cast<std::uint8_t>(value));
    }
  }
  return states;
}

void write_states(Warp& warp, Frame& frame, const Formal& formal, std::uint32_t lane,
                  const std::vector<std::uint8_t>& states) {
  if (formal.reg == kNoRegister) {
    std::memcpy(states_of(warp, frame, formal, lane), states.data(), states.size());
    return;
  }
  RegisterState* state = register_state(frame, formal.reg);
  if (state == nullptr) return;
  bool undefined = false;
  bool computed = false;
  for (const std::uint8_t byte : states) {
    undefined |= byte != static_cast<std::uint8_t>(ByteState::kWritten);
    computed |= byte == static_cast<std::uint8_t>(ByteState::kUndefined);
  }
  const LaneMask bit = LaneMask{1} << lane;
  state->undefined = (state->undefined & ~bit) | (undefined ? bit : 0);
  state->computed = (state->computed & ~bit) | (computed ? bit : 0);
}

void hand_over(Warp& warp, Frame& from_frame, const std::vector<Formal>& from, Frame& to_frame,
               const std::vector<Formal>& to, LaneMask mask) {
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    std::vector<std::byte> bytes(std::max(from[i].bytes, to[i].bytes));
    for_each_lane(mask, [&](std::uint32_t lane) {
      read_formal(warp, from_frame, from[i], lane, bytes.data());
      write_formal(warp, to_frame, to[i], lane, bytes.data());
      if (!warp.tracks_undefined) return;
      std::vector<std::uint8_t> states = read_states(warp, from_frame, from[i], lane);
      states.resize(to[i].bytes, static_cast<std::uint8_t>(ByteState::kWritten));
      write_states(warp, to_frame, to[i], lane, states);
    });
  }
}

void reset_frame(Warp& warp, Frame& frame) {
  const FunctionCode& function = *frame.function;
  frame.registers.assign(function.register_bytes, kPoison);
  if (warp.tracks_undefined) {
    frame.states.assign(function.register_bytes / kRegisterUnit,
                        RegisterState{.undefined = kAllLanes, .computed = kAllLanes, .origin = 0});
  }
}

void reset_local(Warp& warp, const Frame& frame, LaneMask mask) {
  const std::uint32_t bytes = frame.function->frame_local_bytes;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::size_t begin = std::size_t{lane} * warp.local_stride + frame.local_base;
    std::memset(warp.local.data() + begin, DeviceMemory::kPoison, bytes);
    if (warp.tracks_undefined) std::memset(warp.local_states.data() + begin, 0, bytes);
  });
}

void call_defined(Warp& warp, const CallTarget& call, const FunctionCode& callee) {
  Split* split = warp.current;
  Frame* caller = split->frame;
  const std::uint32_t base =
      caller->local_base + (caller->function->frame_local_bytes + 15) / 16 * 16;
  if (caller->depth + 1 > kMostDepth || base + callee.frame_local_bytes > warp.local_stride) {
    raise_fault(warp, FaultKind::kCallDepth, lowest_lane(split->mask),
                fmt::format("calls {} {} deep, for which the stack of {} bytes has no room",
                            callee.name, caller->depth + 1, warp.local_stride));
  }
  Frame* frame = new_frame(warp, callee);
  frame->local_base = base;
  frame->caller = caller;
  frame->call = &call;
  frame->depth = caller->depth + 1;
  reset_local(warp, *frame, split->mask);
  hand_over(warp, *caller, call.arguments, *frame, callee.formals, split->mask);
  Join* join = warp.join_pool.take();
  *join = {.pc = split->pc + 1,
           .frame = caller,
           .expected = split->mask,
           .outer = split->join,
           .is_return = true,
           .callee = frame};
  frame->back = join;
  split->frame = frame;
  split->join = join;
  split->pc = 0;
}

// Where lanes call different functions, those of the first one's go ahead.
const FunctionCode* target_of(Warp& warp, const Instruction& instruction) {
  const auto& call = *static_cast<const CallTarget*>(instruction.extra);
  if (call.callee != nullptr) return call.callee;
  const LaneMask mask = warp.current->mask;
  require_defined(warp, instruction.operands[0], mask, "a function's address");
  const auto* handles = warp.source<std::uint64_t>(instruction, 0);
  const std::uint64_t first = handles[lowest_lane(mask)];
  LaneMask same = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    same |= static_cast<LaneMask>(handles[lane] == first) << lane;
  });
  const auto& functions = warp.block->grid->module->functions_by_handle;
  const auto found = functions.find(first);
  if (found == functions.end()) {
    raise_fault(warp, FaultKind::kBadCall, lowest_lane(mask),
                fmt::format("calls {:#x}, where no function is", first), first);
  }
  if (same != mask) split_groups(warp, same);
  return found->second;
}

void check_arguments(const Warp& warp, const CallTarget& call, const FunctionCode& callee) {
  const bool fits = call.arguments.size() == callee.parameter_sizes.size() &&
                    call.results.size() == callee.result_sizes.size();
  if (fits) return;
  raise_fault(warp, FaultKind::kBadCall, lowest_lane(warp.current->mask),
              fmt::format("calls {} with {} arguments and {} results, and it has {} and {}",
                          callee.name, call.arguments.size(), call.results.size(),
                          callee.parameter_sizes.size(), callee.result_sizes.size()));
}

}  // namespace

void read_formal(const Warp& warp, const Frame& frame, const Formal& formal, std::uint32_t lane,
                 std::byte* to) {
  if (formal.reg == kNoRegister) {
    std::memcpy(to, local_of(const_cast<Warp&>(warp), frame, formal, lane), formal.bytes);
    return;
  }
  const bool is_constant = (formal.reg & kConstantBit) != 0;
  const std::byte* base = is_constant ? frame.function->constants.data() : frame.registers.data();
  std::memcpy(to, base + (formal.reg & ~kConstantBit) + std::size_t{lane} * formal.bytes,
              formal.bytes);
}

void write_formal(Warp& warp, Frame& frame, const Formal& formal, std::uint32_t lane,
                  const std::byte* from) {
  if (formal.reg == kNoRegister) {
    std::memcpy(local_of(warp, frame, formal, lane), from, formal.bytes);
    return;
  }
  std::memcpy(frame.registers.data() + formal.reg + std::size_t{lane} * formal.bytes, from,
              formal.bytes);
}

Frame* new_frame(Warp& warp, const FunctionCode& function) {
  Frame* frame = warp.frame_pool.take();
  frame->function = &function;
  frame->caller = nullptr;
  frame->back = nullptr;
  frame->call = nullptr;
  frame->depth = 0;
  frame->local_base = 0;
  reset_frame(warp, *frame);
  return frame;
}

void step_call(Warp& warp, const Instruction& instruction) {
  const auto& call = *static_cast<const CallTarget*>(instruction.extra);
  const FunctionCode& callee = *target_of(warp, instruction);
  if (call.callee == nullptr) check_arguments(warp, call, callee);
  warp.current->past_guard = false;
  if (callee.is_defined) return call_defined(warp, call, callee);
  call_external(warp, instruction, callee, warp.current->mask);
  warp.current->pc += 1;
}

void step_return(Warp& warp, LaneMask lanes) {
  Split* split = warp.current;
  Frame* frame = split->frame;
  if (frame->caller == nullptr) return exit_lanes(warp, lanes);
  hand_over(warp, *frame, frame->function->result_formals, *frame->caller, frame->call->results,
            lanes);
  Join* back = frame->back;
  split->mask &= ~lanes;
  if (split->mask == 0) remove_split(warp, split);
  arrive(warp, back, lanes);
}

}  // namespace loci::cuda_double
