// From the expression of a fused_elementwise to what the device walks.
#pragma once

#include <loci/plugin/fused_elementwise.hpp>

#include "kernels/fused_elementwise/fused_program.h"

namespace loci::cuda {

// Without addresses. Throws Error(LOCI_CODE_UNSUPPORTED) if more values live at once than there are
// slots, or there are more outputs than the program has room for.
FusedProgram compile_fused(const sdk::OpDesc& op, const sdk::FusedExpression& expression);

}  // namespace loci::cuda
