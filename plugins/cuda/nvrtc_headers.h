// The text of headers in kernels/, for sources that include them at run time.
#pragma once

#include <cstdint>
#include <vector>

namespace loci::cuda {

struct NvrtcHeader {
  const char*
      name;  // "kernels/fused_elementwise/fused_chain.cuh", or one of the standard library's
  const char* text;
  std::uint64_t digest;  // of the text
};

// Returns one and the same list at each call.
const std::vector<NvrtcHeader>& nvrtc_headers();

}  // namespace loci::cuda
