// Measures what this machine can do at most, by loops that do nothing else.
#pragma once

#include "tests/bench/roofline.h"

namespace loci::bench {

// Arithmetic: fused multiply-adds in registers, as wide as the processor has them. Memory: loops
// that only read, and that only copy, from sizes that fit the first cache up to those beyond all.
// The best of many rounds counts. Takes one to eight seconds.
Limits measure_limits(int threads);

}  // namespace loci::bench
