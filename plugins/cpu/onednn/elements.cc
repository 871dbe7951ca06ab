#include "plugins/cpu/onednn/elements.h"

#include <algorithm>
#include <cstddef>

namespace loci::cpu::onednn {

using dnnl::memory;

Elements Elements::native(loci_dtype dtype) {
  return {dtype, dtype == LOCI_DTYPE_BF16 ? Type::bf16 : Type::f32};
}

Elements Elements::widened(loci_dtype dtype) { return {dtype, Type::f32}; }

memory::desc Elements::dense(const memory::dims& dims) const {
  memory::dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(dims[i], 1);
  }
  return strided(dims, strides);
}

memory::desc Elements::strided(const memory::dims& dims, const memory::dims& strides) const {
  return {dims, type_, strides};
}

memory::desc Elements::any_layout(const memory::dims& dims) const {
  return {dims, type_, memory::format_tag::any};
}

bool has_native(loci_dtype dtype) {
  if (dtype == LOCI_DTYPE_F32) return true;
  // Instruction sets are sets of bits, of which later ones have more.
  constexpr auto kNeeded = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  const auto present = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  return dtype == LOCI_DTYPE_BF16 && (present & kNeeded) == kNeeded;
}

std::string Elements::text() const {
  if (stored_ == LOCI_DTYPE_F32) return "f32";
  const std::string text = stored_ == LOCI_DTYPE_BF16 ? "bf16" : "f16";
  return are_widened() ? text + " as f32" : text;
}

}  // namespace loci::cpu::onednn
