// The option "isa" (LOCI_CPU_ISA): the best instruction set that kernels may use.
#pragma once

#include <string_view>

namespace loci::cpu {

// Limits the portable kernels and oneDNN to what `option` names, which is not empty: "x86-64",
// "avx2" or "avx512" ("avx512" leaves oneDNN without bfloat16 instructions and tiles, too). Empty
// leaves the processor's best. What the first call in the process says holds for the process,
// because prepared kernels are laid out for it. Throws Error(kInvalidArgument) for another name or
// a change. Calls are serialised.
void limit_isa(std::string_view option);

}  // namespace loci::cpu
