#include "plugins/kernels/isa.h"

#include <algorithm>
#include <atomic>

#if LOCI_WIDE_ISA
#include <cpuid.h>
#endif

namespace loci::kernels {
namespace {

#if LOCI_WIDE_ISA
// clang's __builtin_cpu_supports() does not know F16C.
bool has_f16c() {
  unsigned int eax = 0;
  unsigned int ebx = 0;
  unsigned int ecx = 0;
  unsigned int edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

Isa detect() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c()) {
    return Isa::kBaseline;
  }
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? Isa::kAvx512 : Isa::kAvx2;
}
#else
Isa detect() { return Isa::kBaseline; }
#endif

std::atomic<Isa>& chosen() {
  static std::atomic<Isa> isa = detect();
  return isa;
}

}  // namespace

Isa best_isa() { return chosen().load(std::memory_order_relaxed); }

void limit_isa(Isa most) { chosen().store(std::min(most, detect()), std::memory_order_relaxed); }

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return "avx512";
    case Isa::kAvx2: return "avx2";
    case Isa::kBaseline: break;
  }
#if defined(__x86_64__)
  return "x86-64";
#else
  return "baseline";
#endif
}

}  // namespace loci::kernels
