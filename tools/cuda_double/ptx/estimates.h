// Estimates what a function needs, as a compiler would say.
#pragma once

#include <cstdint>

#include "tools/cuda_double/ptx/code.h"

namespace loci::cuda_double {

// 32-bit registers that hold values needed later, at the place where there are most; between 16 and
// 255. A compiler's figure differs, for it moves code.
[[nodiscard]] std::uint32_t estimate_registers(const FunctionCode& function);
// Local memory of the function and all that it calls. Recursion, and calls through registers, get a
// fixed amount.
[[nodiscard]] std::uint32_t stack_bytes(const FunctionCode& function);
// Returns true if it, or one it calls, uses shared variables that are not a kernel's own.
[[nodiscard]] bool uses_module_shared(const FunctionCode& function);

}  // namespace loci::cuda_double
