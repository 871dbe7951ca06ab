// Sums and products of more digits than a register has, through the condition code.
#pragma once

#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

class Translator;

// add.cc, addc, sub.cc, subc: of 32 or 64 bits.
void emit_carrying_sum(Translator& translator, ScalarType type, bool subtract, bool carries_in,
                       bool carries_out);
// mad.lo.cc, madc.hi and the like.
void emit_carrying_product(Translator& translator, ScalarType type, bool high, bool carries_in,
                           bool carries_out);

}  // namespace loci::cuda_double
