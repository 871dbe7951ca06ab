// pool2d and its gradient, by pool2d.cu.
#include <loci/plugin/pool2d.hpp>

#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/launch/team_size.h"
#include "kernels/pool2d/pool_layout.h"

extern "C" const unsigned long long loci_cuda_pool2d[];

namespace loci::cuda {
namespace {

constexpr KernelImage kPoolImage{"pool2d", loci_cuda_pool2d};

// Elements of a window that lie side by side: from so many on a warp folds it, or a block.
constexpr std::int64_t kRunOfWarp = 32;
constexpr std::int64_t kRunOfBlock = 4096;

PoolAxis pool_axis(const sdk::WindowAxis& axis) {
  return {fast_divmod_of(axis.input),
          fast_divmod_of(axis.output),
          fast_divmod_of(axis.stride),
          axis.kernel,
          axis.before,
          axis.padded_end};
}

std::int64_t team_of(const sdk::Window2d& window) {
  const bool has_whole_rows = window.width.kernel == window.width.input;
  const std::int64_t run = window.width.kernel * (has_whole_rows ? window.height.kernel : 1);
  if (run >= kRunOfBlock) return kTeamBlock;
  return run >= kRunOfWarp ? kTeamWarp : 1;
}

PoolLayout pool_layout(const sdk::PoolShape& shape, const sdk::PoolOptions& options) {
  const sdk::Window2d& window = shape.window;
  return {shape.planes, pool_axis(window.height), pool_axis(window.width),
          static_cast<std::int32_t>(team_of(window)), options.exclusive ? 0 : 1};
}

struct Pool2d {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, threads, launch.input<void>(0), launch.output<void>(0), layout);
  }
  KernelFunction function;
  std::int64_t threads;
  PoolLayout layout;
};

struct Pool2dGrad {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, elements, launch.input<void>(0), launch.input<void>(1),
                    launch.input<void>(2), launch.output<void>(0), layout);
  }
  KernelFunction function;
  std::int64_t elements;
  PoolLayout layout;
};

template <bool is_gradient>
class Pool2dKernel final : public sdk::Kernel {
 public:
  explicit Pool2dKernel(const sdk::OpDesc& op)
      : options_(sdk::read_pool_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const PoolLayout layout = pool_layout(sdk::pool_shape(x.dims(), options_), options_);
    const std::string kind = options_.is_max ? "pool2d_max" : "pool2d_avg";
    if constexpr (is_gradient) {
      prepare.emplace<Pool2dGrad>(
          KernelFunction(prepare, kPoolImage, typed_name(kind + "_grad", x.dtype())), x.numel(),
          layout);
    } else {
      prepare.emplace<Pool2d>(KernelFunction(prepare, kPoolImage, typed_name(kind, x.dtype())),
                              prepare.op().output(0).numel() * layout.team, layout);
    }
  }

 private:
  sdk::PoolOptions options_;
};

}  // namespace

void add_pool2d(Kernels& kernels) {
  kernels.push_back(enqueuing("pool2d", sdk::kFloatBits, sdk::make_kernel<Pool2dKernel<false>>));
  kernels.push_back(
      enqueuing("pool2d_grad", sdk::kFloatBits, sdk::make_kernel<Pool2dKernel<true>>));
}

}  // namespace loci::cuda
