// The test that a recording can be aggregated at all.
#pragma once

#include "framework/profiler/recording.h"

namespace loci::profiler {

// Throws Error(kDataLoss) that names the place and the values: an index or a kind out of range, a
// span, step or device work that ends before it begins, a rate or an occupancy that is none.
void check_sound(const Recording& recording);

}  // namespace loci::profiler
