// Instruction::modifiers of a barrier.
#pragma once

#include <cstdint>

namespace loci::cuda_double {

enum BarrierKind : std::uint32_t {
  kBarrierSync,
  kBarrierArrive,
  kBarrierCount,  // those from here on have a result
  kBarrierAnd,
  kBarrierOr,
};

}  // namespace loci::cuda_double
