// The warp-wide matrix instructions have these functions in common.
#pragma once

#include <vector>

#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/run/warp.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {

void translate_matrix_load(Translator& translator, Form& form);     // ldmatrix
void translate_matrix_product(Translator& translator, Form& form);  // mma

// The registers in braces. Throws PtxError if they are not so many.
[[nodiscard]] const std::vector<OperandSyntax>& matrix_registers(Translator& translator,
                                                                 unsigned operand,
                                                                 std::size_t count);
// Throws KernelFault unless all lanes of the warp execute the instruction together.
void require_whole_warp(const Warp& warp, LaneMask mask);

}  // namespace loci::cuda_double
