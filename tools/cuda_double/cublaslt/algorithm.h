// Ways to compute a product: in one go, or in parts of the sums that are added up afterwards in the
// workspace.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <vector>

#include "tools/cuda_double/cublaslt/problem.h"

namespace loci::cublaslt_double {

struct Algorithm {
  static constexpr std::uint64_t kMark = 0x4c6f6369416c676f;
  static constexpr const char* kName = "algorithm";
  std::uint64_t mark = kMark;
  std::uint64_t problem = 0;  // its fingerprint
  std::uint64_t workspace = 0;
  std::uint32_t parts = 1;
  std::uint32_t alignments[4] = {1, 1, 1, 1};  // that it needs of A, B, C and D
};

// Best first. Empty where no algorithm does what is preferred.
[[nodiscard]] std::vector<Algorithm> algorithms_for(const Problem& problem,
                                                    const Preference& preference);

}  // namespace loci::cublaslt_double
