// bilinear_interp and its gradient, by bilinear_interp.cu.
#include <loci/plugin/resample.hpp>

#include "kernels/bilinear_interp/resample_layout.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_bilinear_interp[];

namespace loci::cuda {
namespace {

constexpr KernelImage kBilinearImage{"bilinear_interp", loci_cuda_bilinear_interp};

ResampleMap resample_map(std::int64_t source, std::int64_t result,
                         const sdk::ResampleOptions& options) {
  const sdk::ResamplePosition position(source, result, options);
  return {fast_divmod_of(source), fast_divmod_of(result), position.ratio, position.is_centred};
}

// Both ops read input 0, and write output 0.
struct BilinearInterp {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, elements, launch.input<void>(0), launch.output<void>(0), layout);
  }
  KernelFunction function;
  std::int64_t elements;
  ResampleLayout layout;
};

template <bool is_gradient>
class BilinearInterpKernel final : public sdk::Kernel {
 public:
  explicit BilinearInterpKernel(const sdk::OpDesc& op)
      : options_{op.attributes().real("scale"), op.attributes().boolean("align_corners"),
                 op.attributes().integer("align_mode") == 1} {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg from = prepare.op().input(0);
    const sdk::Arg to = prepare.op().output(0);
    const sdk::Dims source = (is_gradient ? to : from).dims();
    const sdk::Dims result = (is_gradient ? from : to).dims();
    prepare.emplace<BilinearInterp>(
        KernelFunction(prepare, kBilinearImage, typed_name(prepare.op().name(), from.dtype())),
        to.numel(),
        ResampleLayout{source[0] * source[1], resample_map(source[2], result[2], options_),
                       resample_map(source[3], result[3], options_)});
  }

 private:
  sdk::ResampleOptions options_;
};

}  // namespace

void add_bilinear_interp(Kernels& kernels) {
  kernels.push_back(
      enqueuing("bilinear_interp", sdk::kFloatBits, sdk::make_kernel<BilinearInterpKernel<false>>));
  kernels.push_back(enqueuing("bilinear_interp_grad", sdk::kFloatBits,
                              sdk::make_kernel<BilinearInterpKernel<true>>));
}

}  // namespace loci::cuda
