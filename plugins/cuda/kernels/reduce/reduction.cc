#include "kernels/reduce/reduction.h"

namespace loci::cuda {
namespace {

constexpr std::uint64_t kMostStateBytes = 16;  // of a fold

}  // namespace

loci_dtype bits_of(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_I8: return LOCI_DTYPE_U8;
    case LOCI_DTYPE_I16: return LOCI_DTYPE_U16;
    case LOCI_DTYPE_I32: return LOCI_DTYPE_U32;
    case LOCI_DTYPE_I64: return LOCI_DTYPE_U64;
    default: return dtype;
  }
}

Reduction::Reduction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
                     const sdk::ReducePlan& plan, loci_dtype dtype)
    : layout_(reduce_layout(plan, dtype)),
      threads_(threads_of(layout_, plan.inner_is_reduced)),
      fold_(prepare, image, name + (plan.inner_is_reduced ? "_rows" : "_columns")) {
  if (layout_.splits.value > 1) fold_parts_.emplace(prepare, image, name + "_parts");
}

std::uint64_t Reduction::partial_bytes() const {
  if (layout_.splits.value == 1) return 0;
  return static_cast<std::uint64_t>(layout_.outputs * layout_.splits.value) * kMostStateBytes;
}

}  // namespace loci::cuda
