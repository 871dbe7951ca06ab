// sum: the sum of a list, by sum.cu.
#include "kernels/kernel_list.h"
#include "kernels/reduce/reduction.h"
#include "kernels/sum/sum_arguments.h"

extern "C" const unsigned long long loci_cuda_sum[];

namespace loci::cuda {
namespace {

constexpr KernelImage kSumImage{"sum", loci_cuda_sum};

struct SumOfList {
  void launch(const sdk::Launch& launch) const {
    SumArguments arguments{};
    for (std::uint32_t k = 0; k < inputs; ++k) arguments.terms[k] = launch.input<void>(k);
    arguments.out = launch.output<void>(0);
    arguments.count = count;
    arguments.inputs = inputs;
    function.launch(launch, vectors, arguments);
  }
  KernelFunction function;
  std::int64_t vectors;
  std::int64_t count;
  std::uint32_t inputs;
};

void prepare_sum_of_list(sdk::Prepare& prepare) {
  const sdk::Arg out = prepare.op().output(0);
  prepare.emplace<SumOfList>(
      KernelFunction(prepare, kSumImage, typed_name("sum", bits_of(out.dtype()))),
      vectors_of(out.numel(), out.dtype()), out.numel(), prepare.op().input_count(0));
}

std::string refuse_many_terms(const sdk::OpDesc& op) {
  const std::uint32_t terms = op.input_count(0);
  if (terms <= kMostTerms) return {};
  return std::to_string(terms) + " terms; it takes " + std::to_string(kMostTerms);
}

}  // namespace

void add_sum(Kernels& kernels) {
  kernels.push_back({"sum",
                     kName,
                     sdk::kNumberBits,
                     sdk::make_kernel<prepare_sum_of_list>,
                     &refuse_many_terms,
                     {{0, 0}},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
