// Where the inputs of a chain are at an element of its outputs; for both sides of a launch.
#pragma once

#include "kernels/launch/axes.h"

namespace loci::cuda {

inline constexpr int kFusedInputs = 16;

using FusedAxes = Axes<kFusedInputs, kMostAxes>;

}  // namespace loci::cuda
