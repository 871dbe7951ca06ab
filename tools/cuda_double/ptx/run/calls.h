// Calls of functions, and what they hand over.
#pragma once

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// The current split calls, all its lanes. It may part, if it calls through a register.
void step_call(Warp& warp, const Instruction& instruction);
// These lanes of the current split return.
void step_return(Warp& warp, LaneMask lanes);

// Functions that no module defines: printf, assert, and the launcher's own.
void call_external(Warp& warp, const Instruction& instruction, const FunctionCode& function,
                   LaneMask mask);

// A frame for a call of the function, with nothing in its registers.
[[nodiscard]] Frame* new_frame(Warp& warp, const FunctionCode& function);

// The bytes of an argument of a lane, in the frame that has it.
void read_formal(const Warp& warp, const Frame& frame, const Formal& formal, std::uint32_t lane,
                 std::byte* to);
void write_formal(Warp& warp, Frame& frame, const Formal& formal, std::uint32_t lane,
                  const std::byte* from);

}  // namespace loci::cuda_double
