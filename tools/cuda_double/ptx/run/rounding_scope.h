// The rounding mode of the host's floating point, for a while.
#pragma once

#include <cfenv>

#include "tools/cuda_double/ptx/run/half.h"

namespace loci::cuda_double {

class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) {
    switch (rounding) {
      case Rounding::kZero: std::fesetround(FE_TOWARDZERO); break;
      case Rounding::kDown: std::fesetround(FE_DOWNWARD); break;
      case Rounding::kUp: std::fesetround(FE_UPWARD); break;
      default: break;
    }
  }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
};

}  // namespace loci::cuda_double
