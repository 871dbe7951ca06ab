// The blocks of kernels whose threads take turns at items; for both sides of a launch.
#pragma once

namespace loci::cuda {

inline constexpr unsigned kBlockThreads = 256;

}  // namespace loci::cuda
