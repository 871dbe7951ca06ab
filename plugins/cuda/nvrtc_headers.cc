#include "nvrtc_headers.h"

#include "fnv.h"

namespace loci::cuda {
namespace {

struct HeaderText {
  const char* name;
  const char* text;
};

constexpr HeaderText kHeaderTexts[] = {
#include "nvrtc_header_texts.inc"
};

// One text stands for each of these headers.
constexpr const char* kStandard = "#include \"kernels/fused_elementwise/nvrtc_standard.cuh\"\n";
constexpr const char* kStandardHeaders[] = {"cmath",  "cstddef",     "cstdint",    "cuda_bf16.h",
                                            "limits", "cuda_fp16.h", "type_traits"};

std::vector<NvrtcHeader> all_headers() {
  std::vector<NvrtcHeader> headers;
  for (const HeaderText& header : kHeaderTexts) {
    headers.push_back({header.name, header.text, fnv1a(header.text)});
  }
  for (const char* name : kStandardHeaders) headers.push_back({name, kStandard, fnv1a(kStandard)});
  return headers;
}

}  // namespace

const std::vector<NvrtcHeader>& nvrtc_headers() {
  static const std::vector<NvrtcHeader> headers = all_headers();
  return headers;
}

}  // namespace loci::cuda
