// Functions of pairs of elements, with broadcasting, by binary.cu, and by power.cu what takes many
// instructions.
#include <loci/plugin/dtype_visit.hpp>
#include <string>
#include <utility>

#include "kernels/elementwise/broadcast_map.h"
#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_binary[];
extern "C" const unsigned long long loci_cuda_power[];

namespace loci::cuda {
namespace {

constexpr KernelImage kBinaryImage{"binary", loci_cuda_binary};
constexpr KernelImage kPowerImage{"power", loci_cuda_power};

// An operand that has as many elements as the result has each of them once, in its order.
bool repeats_nothing(const sdk::OpDesc& op) {
  const std::int64_t count = op.output(0).numel();
  return op.input(0).numel() == count && op.input(1).numel() == count;
}

void prepare_binary(sdk::Prepare& prepare, loci_dtype dtype) {
  std::string stem(prepare.op().name());
  const bool is_dense = repeats_nothing(prepare.op());
  if (!is_dense) stem += "_broadcast";
  KernelFunction function(prepare, kBinaryImage, typed_name(stem, dtype));
  if (is_dense) return emplace_dense_map<2>(prepare, std::move(function), lanes_of(dtype));
  emplace_broadcast_map<2>(prepare, std::move(function), lanes_of(dtype), {0, 1});
}

void prepare_numbers(sdk::Prepare& prepare) {
  prepare_binary(prepare, prepare.op().output(0).dtype());
}

void prepare_bits(sdk::Prepare& prepare) {
  prepare_binary(prepare, as_unsigned(prepare.op().output(0).dtype()));
}

void prepare_power(sdk::Prepare& prepare) {
  const std::string name = typed_name(prepare.op().name(), prepare.op().output(0).dtype());
  emplace_broadcast_map<2>(prepare, KernelFunction(prepare, kPowerImage, name), 1, {0, 1});
}

}  // namespace

void add_binary(Kernels& kernels) {
  for (const char* op : {"elementwise_add", "elementwise_sub", "elementwise_mul"}) {
    kernels.push_back(
        enqueuing(op, sdk::kNumberBits, sdk::make_kernel<prepare_bits>, {{0, 0}, {1, 0}}));
  }
  for (const char* op : {"elementwise_div", "elementwise_max", "elementwise_min"}) {
    kernels.push_back(
        enqueuing(op, sdk::kNumberBits, sdk::make_kernel<prepare_numbers>, {{0, 0}, {1, 0}}));
  }
  kernels.push_back(enqueuing("square_error_cost", sdk::kFloatBits,
                              sdk::make_kernel<prepare_numbers>, {{0, 0}, {1, 0}}));
  for (const char* op : {"elementwise_mod", "elementwise_pow"}) {
    kernels.push_back(
        enqueuing(op, sdk::kNumberBits, sdk::make_kernel<prepare_power>, {{0, 0}, {1, 0}}));
  }
}

}  // namespace loci::cuda
