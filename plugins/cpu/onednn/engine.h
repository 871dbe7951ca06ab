// oneDNN's engine, and what it is.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>

#include "plugins/kernels/isa.h"

namespace loci::cpu::onednn {

// The processor as oneDNN sees it; one for the process.
const dnnl::engine& engine();
// "oneDNN 2.6.3, avx2": with the instruction set that it uses, which ONEDNN_MAX_CPU_ISA may limit.
std::string_view version_text();
// Returns true if oneDNN uses AVX-512.
bool has_avx512();
// Keeps oneDNN from what is beyond `most`; before anything else of it is used.
void limit_isa(kernels::Isa most);
// Has it keep fewer of what it compiled than by default, which by large kernels takes 50 MiB beside
// what executors keep of theirs; unless ONEDNN_PRIMITIVE_CACHE_CAPACITY or somebody in this process
// has said how many.
void bound_primitive_cache();

}  // namespace loci::cpu::onednn
