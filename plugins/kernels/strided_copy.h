// Runs the copies that loci/plugin/strided_copy.hpp plans, in host memory.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <loci/plugin/strided_copy.hpp>

namespace loci::kernels {

// The addresses are those of the elements at index 0. The arrangements do not overlap.
void copy_strided(const sdk::Host& host, const sdk::StridedCopyPlan& plan, const char* from,
                  char* to);

}  // namespace loci::kernels
