// Hot loops compiled for several instruction sets, the best of which is taken at run time.
#pragma once

#include <cstdint>

// LOCI_WIDE_ISA is 1 if loops are compiled for more than the baseline. The thread sanitizer looks
// at which thread touches what, and that is the same in every instruction set.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define LOCI_WIDE_ISA 1
#else
#define LOCI_WIDE_ISA 0
#endif

// A function or lambda whose body has to become part of its caller, so that it is compiled for the
// caller's instruction set.
#define LOCI_INLINE __attribute__((always_inline))

namespace loci::kernels {

// In a loop over `i` of a few elements: keeps the compiler from making vectors of it, for which the
// loop would be too short and the code large.
LOCI_INLINE inline void prevent_vectors(std::int64_t& i) {
#if defined(__GNUC__)
  asm("" : "+r"(i));
#endif
}

enum class Isa : std::uint8_t { kBaseline, kAvx2, kAvx512 };

// The best one that this processor, this library and the limit have. Thread-safe.
Isa best_isa();
// Takes the feature bits beyond `most` for absent from now on. What was prepared before may have
// been laid out for wider vectors, and must not be launched any more.
void limit_isa(Isa most);
// "x86-64", "avx2", "avx512".
const char* isa_name(Isa isa);

// Stands for an instruction set inside a loop: the width of its vector registers.
template <int bytes>
struct VectorWidth {
  static constexpr int kBytes = bytes;
};

namespace detail {

#if LOCI_WIDE_ISA
template <class Body>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"))) void run_avx512(
    const Body& body) {
  body(VectorWidth<64>());
}

template <class Body>
__attribute__((target("avx2,fma,f16c"))) void run_avx2(const Body& body) {
  body(VectorWidth<32>());
}
#endif

}  // namespace detail

// Calls body(VectorWidth<...>), compiled for the best instruction set. `body` and what it calls are
// marked LOCI_INLINE.
template <class Body>
void run_widest(const Body& body) {
#if LOCI_WIDE_ISA
  switch (best_isa()) {
    case Isa::kAvx512: return detail::run_avx512(body);
    case Isa::kAvx2: return detail::run_avx2(body);
    case Isa::kBaseline: break;
  }
#endif
  body(VectorWidth<16>());
}

}  // namespace loci::kernels
