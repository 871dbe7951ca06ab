// Comparisons and logic, with broadcasting, by compare.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/broadcast_map.h"
#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_compare[];

namespace loci::cuda {
namespace {

constexpr KernelImage kCompareImage{"compare", loci_cuda_compare};

using Operands = std::array<std::uint32_t, 2>;

void prepare_relation(sdk::Prepare& prepare, std::string_view stem, loci_dtype dtype,
                      const Operands& operands) {
  emplace_broadcast_map<2>(prepare, KernelFunction(prepare, kCompareImage, typed_name(stem, dtype)),
                           lanes_of(dtype), operands);
}

void prepare_equality(sdk::Prepare& prepare) {
  prepare_relation(prepare, prepare.op().name(), as_unsigned(prepare.op().input(0).dtype()),
                   {0, 1});
}

// A bool as the number that it is stored as.
loci_dtype ordered(const sdk::Prepare& prepare) {
  const loci_dtype dtype = prepare.op().input(0).dtype();
  return dtype == LOCI_DTYPE_BOOL ? LOCI_DTYPE_U8 : dtype;
}

void prepare_order(sdk::Prepare& prepare) {
  prepare_relation(prepare, prepare.op().name(), ordered(prepare), {0, 1});
}

// x > y is y < x, for NaN too.
void prepare_greater_than(sdk::Prepare& prepare) {
  prepare_relation(prepare, "less_than", ordered(prepare), {1, 0});
}

void prepare_greater_equal(sdk::Prepare& prepare) {
  prepare_relation(prepare, "less_equal", ordered(prepare), {1, 0});
}

void prepare_and(sdk::Prepare& prepare) { prepare_relation(prepare, "and", LOCI_DTYPE_U8, {0, 1}); }

void prepare_or(sdk::Prepare& prepare) { prepare_relation(prepare, "or", LOCI_DTYPE_U8, {0, 1}); }

// Bytes of 0 or 1 differ where bools do.
void prepare_xor(sdk::Prepare& prepare) {
  prepare_relation(prepare, "not_equal", LOCI_DTYPE_U8, {0, 1});
}

void prepare_not(sdk::Prepare& prepare) {
  emplace_dense_map<1>(prepare, KernelFunction(prepare, kCompareImage, "not_u8"),
                       lanes_of(LOCI_DTYPE_U8));
}

}  // namespace

void add_compare(Kernels& kernels) {
  constexpr std::uint64_t kBool = LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL);
  kernels.push_back(enqueuing("equal", sdk::kAllBits, sdk::make_kernel<prepare_equality>));
  kernels.push_back(enqueuing("not_equal", sdk::kAllBits, sdk::make_kernel<prepare_equality>));
  kernels.push_back(enqueuing("less_than", sdk::kAllBits, sdk::make_kernel<prepare_order>));
  kernels.push_back(enqueuing("less_equal", sdk::kAllBits, sdk::make_kernel<prepare_order>));
  kernels.push_back(
      enqueuing("greater_than", sdk::kAllBits, sdk::make_kernel<prepare_greater_than>));
  kernels.push_back(
      enqueuing("greater_equal", sdk::kAllBits, sdk::make_kernel<prepare_greater_equal>));
  kernels.push_back(enqueuing("logical_and", kBool, sdk::make_kernel<prepare_and>, {{0, 0}}));
  kernels.push_back(enqueuing("logical_or", kBool, sdk::make_kernel<prepare_or>, {{0, 0}}));
  kernels.push_back(enqueuing("logical_xor", kBool, sdk::make_kernel<prepare_xor>, {{0, 0}}));
  kernels.push_back(enqueuing("logical_not", kBool, sdk::make_kernel<prepare_not>, {{0, 0}}));
}

}  // namespace loci::cuda
