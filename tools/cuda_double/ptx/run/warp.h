// A warp of threads under way, as instructions see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tools/cuda_double/ptx/code.h"
#include "tools/cuda_double/ptx/kernel_fault.h"
#include "tools/cuda_double/ptx/run/pool.h"

namespace loci::cuda_double {

struct AsyncCopies;
struct Block;
struct Join;

// Which lanes of a register hold what was never written, by RegisterRef / kRegisterUnit.
struct RegisterState {
  LaneMask undefined = 0;
  LaneMask computed = 0;     // those of them that were computed from undefined ones
  std::uint32_t origin = 0;  // 1 + the place where the value came up; 0: never set
};

// One call of a function by lanes that called together.
struct Frame {
  const FunctionCode* function = nullptr;
  std::vector<std::byte> registers;
  std::vector<RegisterState> states;  // empty without the check
  std::uint32_t local_base = 0;       // of its variables in each lane's local memory
  Frame* caller = nullptr;
  Join* back = nullptr;  // where its lanes meet after the call
  const CallTarget* call = nullptr;
  std::uint32_t depth = 0;
};

// Where lanes that parted meet again; they go on together once all have come or exited.
struct Join {
  std::uint32_t pc = 0;
  Frame* frame = nullptr;
  LaneMask expected = 0;
  LaneMask arrived = 0;
  Join* outer = nullptr;
  bool is_return = false;
  Frame* callee = nullptr;  // of a return
};

enum class SplitState : std::uint8_t { kReady, kAtBarrier, kAtCollective };

// Lanes that are at the same instruction.
struct Split {
  std::uint32_t pc = 0;
  LaneMask mask = 0;
  Frame* frame = nullptr;
  Join* join = nullptr;
  SplitState state = SplitState::kReady;
  bool past_guard = false;  // the guard of the instruction at pc is decided: all its lanes execute
};

struct Warp {
  Warp();
  ~Warp();
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;

  // Registers and constants of the frame that runs.
  std::array<std::byte*, 2> bases{};
  Frame* frame = nullptr;
  Block* block = nullptr;
  std::uint32_t index = 0;  // in its block
  LaneMask members = 0;     // lanes that are threads
  LaneMask live = 0;        // that have not exited
  const Instruction* instruction = nullptr;
  bool tracks_undefined = false;

  Split* current = nullptr;
  std::vector<Split*> splits;  // all there are
  Pool<Split> split_pool;
  Pool<Join> join_pool;
  Pool<Frame> frame_pool;
  std::vector<std::byte> local;  // lane after lane
  std::vector<std::uint8_t> local_states;
  std::uint32_t local_stride = 0;
  std::uint64_t executed = 0;
  std::unique_ptr<AsyncCopies> async_copies;  // NULL until the first
  // The check for races in shared memory keeps what this warp knows of each warp's clock.
  std::vector<std::uint32_t> clocks;
  bool strong_write_releases = false;
  bool fence_acquires = false;

  template <class T>
  [[nodiscard]] T* reg(RegisterRef ref) const {
    return reinterpret_cast<T*>(bases[ref >> 31] + (ref & ~kConstantBit));
  }
  template <class T>
  [[nodiscard]] T* result(const Instruction& from, unsigned number = 0) const {
    return reg<T>(from.operands[number]);
  }
  template <class T>
  [[nodiscard]] const T* source(const Instruction& from, unsigned number) const {
    return reg<T>(from.operands[from.results + number]);
  }
  [[nodiscard]] LaneMask predicate(RegisterRef ref) const { return *reg<LaneMask>(ref); }
  // NULL for constants, and without the check.
  [[nodiscard]] RegisterState* state(RegisterRef ref) const {
    if (!tracks_undefined || (ref & kConstantBit) != 0 || ref == kNoRegister) return nullptr;
    return &frame->states[ref / kRegisterUnit];
  }
};

// Ends the launch with a fault of the instruction that the warp is at.
[[noreturn]] void raise_fault(const Warp& warp, FaultKind kind, std::uint32_t lane,
                              const std::string& text, std::uint64_t address = 0);

[[nodiscard]] inline std::uint32_t lowest_lane(LaneMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
}
[[nodiscard]] inline std::uint32_t lane_count(LaneMask mask) {
  return static_cast<std::uint32_t>(__builtin_popcount(mask));
}

}  // namespace loci::cuda_double
