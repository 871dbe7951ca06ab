// Conformance cases of an op that a plugin brings, with arguments made up from its definition.
#pragma once

#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/ops/own_op.h"

namespace loci::verify {

// Shapes that all arguments get.
const std::vector<Shape>& made_up_shapes();

// A case with `dtype` in each input that takes it, and one that it does take in the others. Nothing
// is expected of it but what run_case() looks at without a reference.
conformance::Case made_up_case(const OwnOp& op, DType dtype, const Shape& shape);

// The floating dtypes that the op's first floating input takes, float64 first, or if it has none
// all that its first input takes.
std::vector<DType> dtypes_of(const OwnOp& op);

// Calls the op on variables, one for each input of the case.
conformance::Variables call_own_op(const OwnOp& op, const conformance::Variables& inputs);

}  // namespace loci::verify
