#include "tools/cuda_double/ptx/run/memory_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

constexpr auto kWritten = static_cast<std::uint8_t>(ByteState::kWritten);
constexpr auto kUndefined = static_cast<std::uint8_t>(ByteState::kUndefined);

// Blocks on two threads may use the same bytes by atomics of theirs.
using SharedState = std::atomic_ref<std::uint8_t>;

// The worst of the bytes: unwritten or computed from it, else written.
std::uint8_t state_of(std::uint8_t* states, std::size_t bytes) {
  std::uint8_t result = kWritten;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint8_t state = SharedState(states[i]).load(std::memory_order_relaxed);
    if (state == kUndefined) return kUndefined;
    if (state != kWritten) result = state;
  }
  return result;
}

void set_states(std::uint8_t* states, std::size_t bytes, ByteState state) {
  for (std::size_t i = 0; i < bytes; ++i) {
    SharedState(states[i]).store(static_cast<std::uint8_t>(state), std::memory_order_relaxed);
  }
}

bool leaves_block(const LanePointers& pointers, std::uint32_t lane, StateSpace space,
                  const DeviceMemory& memory) {
  if (space == StateSpace::kGlobal) return true;
  if (space != StateSpace::kGeneric) return false;
  return memory.states_at(reinterpret_cast<std::uint64_t>(pointers.data[lane])) != nullptr;
}

}  // namespace

void load_states(Warp& warp, RegisterRef result, LaneMask mask, const LanePointers& pointers,
                 std::size_t offset, std::size_t bytes) {
  LaneMask undefined = 0;
  LaneMask computed = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    std::uint8_t* states = pointers.states[lane];
    if (states == nullptr) return;
    const std::uint8_t state = state_of(states + offset, bytes);
    undefined |= static_cast<LaneMask>(state != kWritten) << lane;
    computed |= static_cast<LaneMask>(state == kUndefined) << lane;
  });
  RegisterState& state = *warp.state(result);
  state.undefined = (state.undefined & ~mask) | undefined;
  state.computed = (state.computed & ~mask) | computed;
  if (undefined != 0) state.origin = warp.instruction->place + 1;
}

void store_states(Warp& warp, RegisterRef source, LaneMask mask, const LanePointers& pointers,
                  std::size_t offset, std::size_t bytes, StateSpace space) {
  const RegisterState* state = warp.state(source);
  const LaneMask undefined = state == nullptr ? 0 : state->undefined;
  const LaneMask computed = state == nullptr ? 0 : state->computed;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask bit = LaneMask{1} << lane;
    if ((computed & bit) != 0 && leaves_block(pointers, lane, space, *warp.block->grid->memory)) {
      require_not_computed(warp, source, bit, "a result");
    }
    if (pointers.states[lane] == nullptr) return;
    const ByteState stored = (computed & bit) != 0    ? ByteState::kUndefined
                             : (undefined & bit) != 0 ? ByteState::kUnwritten
                                                      : ByteState::kWritten;
    set_states(pointers.states[lane] + offset, bytes, stored);
  });
}

void require_written(Warp& warp, LaneMask mask, const LanePointers& pointers, std::size_t bytes) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    if (pointers.states[lane] == nullptr) return;
    if (state_of(pointers.states[lane], bytes) == kWritten) return;
    const auto address = reinterpret_cast<std::uint64_t>(pointers.data[lane]);
    raise_fault(warp, FaultKind::kUndefinedValue, lane,
                fmt::format("updates {} bytes at {:#x} that were never written: {}", bytes, address,
                            warp.block->grid->memory->describe(address)),
                address);
  });
}

// Sorted by address, with their lanes; how many there are.
namespace {

using OrderedLanes = std::array<std::pair<std::uint64_t, std::uint32_t>, kLanes>;

// 0: all addresses differ.
std::uint32_t sort_lanes(LaneMask mask, const LaneAddresses& addresses, OrderedLanes& order) {
  std::uint32_t count = 0;
  bool ascending = true;
  for_each_lane(mask, [&](std::uint32_t lane) {
    ascending &= count == 0 || addresses[lane] > order[count - 1].first;
    order[count++] = {addresses[lane], lane};
  });
  if (ascending) return 0;
  std::sort(order.begin(), order.begin() + count);
  return count;
}

}  // namespace

void check_same_address(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                        const Instruction& instruction, const MemoryAccess& access,
                        std::size_t register_bytes, std::size_t value_bytes) {
  const Checks& checks = warp.block->grid->config->checks;
  const bool is_local = access.space == StateSpace::kLocal;
  if ((!checks.shared_races && !checks.global_races) || is_local || access.strong) return;
  OrderedLanes order;
  const std::uint32_t count = sort_lanes(mask, addresses, order);
  for (std::uint32_t i = 1; i < count; ++i) {
    if (order[i].first != order[i - 1].first) continue;
    const std::uint64_t window = order[i].first >> kWindowShift << kWindowShift;
    if (window == kLocalWindow) continue;
    const bool is_shared = access.space == StateSpace::kShared || window == kSharedWindow;
    for (unsigned part = 1; part < instruction.sources; ++part) {
      const auto* values = warp.source<std::byte>(instruction, part);
      const std::byte* earlier = values + order[i - 1].second * register_bytes;
      if (std::memcmp(earlier, values + order[i].second * register_bytes, value_bytes) == 0)
        continue;
      raise_fault(warp, is_shared ? FaultKind::kSharedRace : FaultKind::kGlobalRace,
                  order[i].second,
                  fmt::format("lanes {} and {} write different values to one address at once",
                              order[i - 1].second, order[i].second),
                  order[i].first);
    }
  }
}

}  // namespace loci::cuda_double
