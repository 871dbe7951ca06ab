// Loops whose data lies as one instruction set wants it, so that tests run each that there is.
#pragma once

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Returns the bytes of the instruction set's vector registers.
constexpr int vector_bytes(Isa isa) {
  return isa == Isa::kAvx512 ? 64 : isa == Isa::kAvx2 ? 32 : 16;
}

// Calls body(VectorWidth<...>) as run_widest() does, but compiled for that instruction set, which
// is none beyond best_isa().
template <class Body>
void run_with([[maybe_unused]] Isa isa, const Body& body) {
#if LOCI_WIDE_ISA
  switch (isa) {
    case Isa::kAvx512: return detail::run_avx512(body);
    case Isa::kAvx2: return detail::run_avx2(body);
    case Isa::kBaseline: break;
  }
#endif
  body(VectorWidth<16>());
}

}  // namespace loci::kernels
