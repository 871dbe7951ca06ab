// PTX as it is run: one record an instruction, decoded once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

struct FunctionCode;
struct Instruction;
struct Warp;

// One bit a lane, lane 0 lowest.
using LaneMask = std::uint32_t;
inline constexpr std::uint32_t kLanes = 32;
inline constexpr LaneMask kAllLanes = 0xffffffff;

// Executes an instruction for the lanes of the mask, which is not empty.
using Handler = void (*)(Warp& warp, const Instruction& instruction, LaneMask mask);

// Where a register lies: 32 values, one a lane, next to each other; of a predicate one LaneMask.
// With kConstantBit in the function's constants, else in the frame's registers. In bytes.
using RegisterRef = std::uint32_t;
inline constexpr RegisterRef kConstantBit = 0x80000000;
inline constexpr RegisterRef kNoRegister = 0x7fffffff;
// Each register begins at a multiple of this, so that this many bytes tell registers apart.
inline constexpr std::uint32_t kRegisterUnit = 32;

// Who moves the program counter.
enum class Control : std::uint8_t {
  kNext,  // the handler computes, and the next instruction follows
  kBranch,
  kIndexedBranch,
  kCall,
  kReturn,
  kExit,
  kBarrier,     // of a block
  kCollective,  // of the lanes that a mask names
  kYield,       // others may run
};

// How results hang on sources that were never written.
enum class DataFlow : std::uint8_t {
  kCompute,  // a result of an undefined source is undefined, and using it is a mistake
  kCopy,     // a result is as defined as its sources; storing it is none
  kSelect,   // as the source that the last source, a predicate, picks
  kAnd,      // predicates: false wherever one that is defined is false, whatever the other
  kOr,       // the same with true
  kOwn,      // the handler sees to it
};

struct CallTarget;

struct Instruction {
  Handler handler = nullptr;
  const RegisterRef* operands = nullptr;  // results first, then sources
  std::uint8_t results = 0;
  std::uint8_t sources = 0;
  Control control = Control::kNext;
  DataFlow flow = DataFlow::kCompute;
  bool guard_negated = false;
  bool needs_all_lanes = false;  // .aligned: the warp's lanes have to be together
  RegisterRef guard = kNoRegister;
  std::uint32_t target = 0;         // of a branch
  std::uint32_t reconvergence = 0;  // where its sides meet
  std::uint32_t modifiers = 0;      // each family has its own
  std::int64_t immediate = 0;       // such as the offset of an address
  const void* extra = nullptr;      // of a family's own: a CallTarget, a table of labels
  std::uint32_t opcode = 0;         // number of its name, for counters
  std::uint32_t place = 0;          // in FunctionCode::places
};

// Where both sides never meet within the function.
inline constexpr std::uint32_t kNoReconvergence = 0xffffffff;

}  // namespace loci::cuda_double
