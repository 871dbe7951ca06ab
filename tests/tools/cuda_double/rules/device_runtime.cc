#include "device_runtime.h"

#ifdef LOCI_HAS_CUDADEVRT
// The assembler is told the folder.
asm(".section .rodata\n"
    ".balign 16\n"
    "loci_cudadevrt_begin:\n"
    ".incbin \"libcudadevrt.a\"\n"
    "loci_cudadevrt_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char loci_cudadevrt_begin[];
extern "C" const char loci_cudadevrt_end[];
#endif

namespace loci::cuda_rules {

std::string_view device_runtime() {
#ifdef LOCI_HAS_CUDADEVRT
  return {loci_cudadevrt_begin,
          static_cast<std::size_t>(loci_cudadevrt_end - loci_cudadevrt_begin)};
#else
  return {};
#endif
}

}  // namespace loci::cuda_rules
