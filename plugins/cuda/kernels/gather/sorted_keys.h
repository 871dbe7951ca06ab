// How many keys a block sorts at once; for both sides of a launch.
#pragma once

namespace loci::cuda {

inline constexpr int kSortedRun = 1024;

}  // namespace loci::cuda
