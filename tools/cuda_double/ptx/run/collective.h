// Functions of several lanes of a warp, such as shuffles and votes: what goes in and comes out.
#pragma once

#include <array>
#include <cstdint>

#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

struct CollectiveData {
  LaneMask members = 0;  // lanes that take part
  std::uint32_t modifiers = 0;
  std::array<std::uint64_t, kLanes> first{};  // the operands, a predicate as 0 or 1
  std::array<std::uint64_t, kLanes> second{};
  std::array<std::uint64_t, kLanes> third{};
  std::array<std::uint64_t, kLanes> value{};  // the results
  LaneMask predicate = 0;
  // The lane that a lane's value was copied from; kLanes: the value hangs on all members.
  std::array<std::uint8_t, kLanes> from{};
};

using CollectiveFunction = void (*)(CollectiveData& data);

// Instruction::extra of a collective. Its sources are the mask of members, then the operands; its
// results the value, then the predicate.
struct CollectiveOperation {
  CollectiveFunction function = nullptr;
  std::uint8_t value_bytes = 0;  // of the first result; 0: there is none
  bool has_predicate = false;    // the last result
  std::uint8_t operands = 0;
  std::uint8_t operand_bytes = 4;  // of the first; 0: a predicate. The others have 4
  bool synchronises = false;       // orders the members' accesses to memory
};

}  // namespace loci::cuda_double
