// How much arithmetic an operator is, for the time model.
#pragma once

#include <loci/plugin/views.hpp>

namespace loci::sim {

// Floating-point operations: of a matrix product 2 m n k, of a convolution 2 for each output
// element and weight of its filter, of anything else one for each element of its largest argument.
// 0 while extents are unknown.
[[nodiscard]] double flops_of(const loci_op_desc& op);

}  // namespace loci::sim
