// A part of the conformance cases, for builds in which all of them take too long.
#pragma once

#include "tools/conformance/case.h"

namespace loci::conformance {

// Picks the cases that a sanitizer is to see of every op of a family:
//  - each of its combinations of shapes and attributes, in one dtype: float32 where it has that;
//  - each of its dtypes, without elements, and with as many as make whole vectors and a rest;
//  - its longest case in float32 or float64, in a dtype of 16 bits, and in one without fractions:
//    those several threads share.
// Left out are the other combinations in the other dtypes. They run the same loops over other
// elements, and whether their results are right is for a build without a sanitizer.
Suite memory_sample(const Suite& all);

}  // namespace loci::conformance
