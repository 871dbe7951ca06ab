// cast, between all dtypes, by cast.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_cast[];

namespace loci::cuda {
namespace {

constexpr KernelImage kCastImage{"cast", loci_cuda_cast};

bool is_integer(loci_dtype dtype) { return (sdk::kIntegerBits & LOCI_DTYPE_BIT(dtype)) != 0; }

// Returns the name that cast.cu gives the function.
std::string cast_name(loci_dtype in, loci_dtype out) {
  if (in == LOCI_DTYPE_BOOL) in = LOCI_DTYPE_U8;
  if (is_integer(in) && is_integer(out)) out = as_unsigned(out);
  const std::string from = typed_name("", in).substr(1);
  return typed_name(from + "_to", out);
}

void prepare_cast(sdk::Prepare& prepare) {
  const loci_dtype in = prepare.op().input(0).dtype();
  const loci_dtype out = prepare.op().output(0).dtype();
  emplace_dense_map<1>(prepare, KernelFunction(prepare, kCastImage, cast_name(in, out)),
                       std::min(lanes_of(in), lanes_of(out)));
}

}  // namespace

void add_cast(Kernels& kernels) {
  kernels.push_back(enqueuing("cast", sdk::kAllBits, sdk::make_kernel<prepare_cast>, {{0, 0}}));
}

}  // namespace loci::cuda
