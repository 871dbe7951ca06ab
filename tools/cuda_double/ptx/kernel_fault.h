// A fault says what a kernel did that it must not do, or that cannot be run.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/cuda_double/ptx/dim3.h"

namespace loci::cuda_double {

enum class FaultKind : std::uint8_t {
  kOutOfBounds,       // no live allocation, shared or local variable has all the bytes
  kUseAfterFree,      // a freed allocation, still known
  kMisaligned,        // an address that is no multiple of the access's size
  kWrongSpace,        // such as a write to constants
  kNoPeerAccess,      // memory of another device that nobody opened to this one
  kUndefinedValue,    // a branch, an address or a result hangs on something never written
  kSharedRace,        // shared memory, two threads, no barrier between
  kGlobalRace,        // global memory, two blocks of a launch
  kDivergentBarrier,  // a barrier for all threads of a warp that only some reach
  kMissingLanes,      // a warp-level function whose mask names lanes that never come, or is wrong
  kDeadlock,          // every thread of a block waits
  kBadBarrier,        // a barrier's number or thread count that cannot be
  kCallDepth,         // recursion deeper than the stack
  kBadCall,           // a call of what is not there, or with other parameters
  kInstructionLimit,  // most likely an endless loop
  kAssertion,         // assert() failed
  kTrap,              // __trap()
  kUnsupported,       // a form of an instruction that is not there
  kLaunch,            // the launch itself: extents, parameters, shared memory
};

[[nodiscard]] std::string_view fault_kind_name(FaultKind kind);

struct FaultReport {
  FaultKind kind = FaultKind::kLaunch;
  std::string text;  // what was wrong, one line, without the place
  std::string kernel;
  std::string source;   // "file.cu:12", outermost place of what is inlined; empty without -lineinfo
  std::string inlined;  // "header.cuh:34" where the code stands; empty if it is `source`
  std::string instruction;     // as the PTX has it
  std::uint32_t ptx_line = 0;  // from 1; 0: the launch
  bool has_thread = false;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::uint64_t address = 0;  // generic; 0: none
};

// what() is one line: "[kernel] text, at file.cu:12 (header.cuh:34), PTX line 56: instruction;
// block (0,0,0), thread (3,0,0)".
class KernelFault : public std::runtime_error {
 public:
  explicit KernelFault(FaultReport report);
  [[nodiscard]] const FaultReport& report() const { return report_; }
  [[nodiscard]] FaultKind kind() const { return report_.kind; }

 private:
  FaultReport report_;
};

}  // namespace loci::cuda_double
