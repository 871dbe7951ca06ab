// Parameters of the kernels of sum.cu; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

inline constexpr std::uint32_t kMostTerms = 64;

struct SumArguments {
  const void* terms[kMostTerms];
  void* out;  // may be the first term
  std::int64_t count;
  std::uint32_t inputs;
};

}  // namespace loci::cuda
