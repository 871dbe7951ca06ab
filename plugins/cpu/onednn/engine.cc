#include "plugins/cpu/onednn/engine.h"

#include <loci/plugin/kernel.hpp>
#include <string>

namespace loci::cpu::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine& instance = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return instance;
}

namespace {

// Sets that have no name here are newer than this; their number tells them apart.
std::string isa_text(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41: return "sse41";
    case dnnl::cpu_isa::avx: return "avx";
    case dnnl::cpu_isa::avx2: return "avx2";
    case dnnl::cpu_isa::avx512_core: return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni: return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16: return "avx512_core_bf16";
    default: return "instruction set " + std::to_string(static_cast<int>(isa));
  }
}

dnnl::cpu_isa isa_of(kernels::Isa isa) {
  switch (isa) {
    case kernels::Isa::kAvx512: return dnnl::cpu_isa::avx512_core;
    case kernels::Isa::kAvx2: return dnnl::cpu_isa::avx2;
    case kernels::Isa::kBaseline: break;
  }
  return dnnl::cpu_isa::sse41;
}

}  // namespace

bool has_avx512() {
  // Instruction sets are sets of bits, of which later ones have more.
  constexpr auto kWide = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kWide) == kWide;
}

void limit_isa(kernels::Isa most) {
  if (dnnl::set_max_cpu_isa(isa_of(most)) == dnnl::status::success) return;
  throw sdk::Error(LOCI_CODE_FAILED,
                   "[cpu] oneDNN takes no limit of instruction sets any more; set "
                   "ONEDNN_MAX_CPU_ISA instead of the option isa");
}

void bound_primitive_cache() {
  constexpr int kDefault = 1024;  // of every version, where nothing is said
  constexpr int kKept = 64;       // the convolutions of a large model, for its next executor
  if (dnnl::get_primitive_cache_capacity() == kDefault) dnnl::set_primitive_cache_capacity(kKept);
}

std::string_view version_text() {
  static const std::string& text = *new std::string([] {
    const dnnl_version_t& version = *dnnl_version();
    return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch) + ", " + isa_text(dnnl::get_effective_cpu_isa());
  }());
  return text;
}

}  // namespace loci::cpu::onednn
