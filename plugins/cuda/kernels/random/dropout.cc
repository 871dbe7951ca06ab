// dropout and its gradient, by dropout.cu.
#include <loci/plugin/dropout.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/op_options.hpp>

#include "device.h"
#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"
#include "kernels/move/device_copy.h"
#include "kernels/random/draws.h"

extern "C" const unsigned long long loci_cuda_dropout[];

namespace loci::cuda {
namespace {

constexpr KernelImage kDropoutImage{"dropout", loci_cuda_dropout};

// The factor as elements are computed.
template <class Visit>
void with_factor(loci_dtype dtype, double factor, const Visit& visit) {
  if (dtype == LOCI_DTYPE_F64) {
    visit(factor);
  } else {
    visit(static_cast<float>(factor));
  }
}

template <class C>
struct Dropout {
  void launch(const sdk::Launch& launch) const {
    constexpr std::int64_t kWords = 4;  // of a block
    function.launch(launch, (drawn.count + kWords - 1) / kWords, launch.input<void>(0),
                    launch.input<void>(1), launch.output<void>(0), launch.output<void>(1), drawn,
                    threshold, factor);
  }
  KernelFunction function;
  Drawn drawn;
  std::uint32_t threshold;
  C factor;
};

// With is_test: nothing is dropped.
template <class C>
struct KeepAll {
  void launch(const sdk::Launch& launch) const {
    if (drawn.count == 0) return;
    function.launch(launch, items, launch.input<void>(0), launch.output<void>(0), drawn.count,
                    factor);
    fill_on_device(*device, launch, launch.output<void>(1), 1,
                   static_cast<std::uint64_t>(drawn.count));
  }
  Device* device;
  KernelFunction function;
  std::int64_t items;
  Drawn drawn;
  C factor;
};

class DropoutKernel final : public sdk::Kernel {
 public:
  explicit DropoutKernel(const sdk::OpDesc& op)
      : options_(op.attributes()), offset_(sdk::read_draw_offset(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const loci_dtype dtype = op.input(0).dtype();
    const Drawn drawn{op.input(0).numel(), offset_, op.input(1).numel() == 3};
    const std::string_view stem = options_.is_test() ? "keep" : "dropout";
    const KernelFunction function(prepare, kDropoutImage, typed_name(stem, dtype));
    with_factor(dtype, options_.factor(), [&](auto factor) {
      using C = decltype(factor);
      if (options_.is_test()) {
        prepare.emplace<KeepAll<C>>(&sdk::device_of<Device>(prepare.device()), function,
                                    vectors_of(drawn.count, dtype), drawn, factor);
      } else {
        prepare.emplace<Dropout<C>>(function, drawn, options_.threshold(), factor);
      }
    });
  }

 private:
  sdk::DropoutOptions options_;
  std::uint64_t offset_;
};

class DropoutGrad final : public sdk::Kernel {
 public:
  explicit DropoutGrad(const sdk::OpDesc& op)
      : factor_(sdk::DropoutOptions(op.attributes()).factor()) {}

  void prepare(sdk::Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().output(0).dtype();
    const KernelFunction function(prepare, kDropoutImage, typed_name("dropout_grad", dtype));
    with_factor(dtype, factor_, [&](auto factor) {
      emplace_dense_map<2>(prepare, function, lanes_of(dtype), factor);
    });
  }

 private:
  double factor_;
};

}  // namespace

void add_dropout(Kernels& kernels) {
  kernels.push_back({"dropout",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<DropoutKernel>,
                     nullptr,
                     {{0, 0}},
                     LOCI_KERNEL_CAPTURABLE | LOCI_KERNEL_COUNTED_STATE});
  kernels.push_back(
      enqueuing("dropout_grad", sdk::kFloatBits, sdk::make_kernel<DropoutGrad>, {{0, 0}}));
}

}  // namespace loci::cuda
