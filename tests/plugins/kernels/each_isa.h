// Runs a check as on processors with fewer instruction sets.
#pragma once

#include <gtest/gtest.h>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Once for each instruction set that this processor has, the best one last, which stays.
template <class Check>
void for_each_isa(const Check& check) {
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    limit_isa(isa);
    if (best_isa() != isa) continue;
    SCOPED_TRACE(isa_name(isa));
    check();
  }
}

}  // namespace loci::kernels
