// Makes the text that printf of a thread prints.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// `format` and `arguments` are the generic addresses that vprintf gets. Throws KernelFault.
[[nodiscard]] std::string printf_text(Warp& warp, std::uint32_t lane, std::uint64_t format,
                                      std::uint64_t arguments);

}  // namespace loci::cuda_double
