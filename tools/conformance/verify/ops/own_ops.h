// Checks of the ops that a plugin brings, on arguments that are made up: nobody but the plugin says
// what they compute.
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/verify/ops/ops_core.h"
#include "tools/conformance/verify/ops/own_op.h"

namespace loci::verify {

// For each op three checks:
//   ops/own/NAME/inference  each dtype that an input takes is inferred, and unknown extents give
//                           what known ones give where both are known
//   ops/own/NAME/kernels    results are the same bits with memory reuse and without, and those of
//                           narrower dtypes those of float64 but for rounding; launches are watched
//   ops/own/NAME/gradient   of float64, against central differences of the op itself
// Arguments have one shape and the attributes their defaults, a required one a value within its
// limits. An op that takes none of them is skipped: cases of one's own (own_cases.h) are for that.
std::vector<Check> own_op_checks(const std::vector<OwnOp>& ops,
                                 const std::shared_ptr<OpsCore>& core);

}  // namespace loci::verify
