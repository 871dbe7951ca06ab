// matmul, mul and fused_matmul by matmul.cu: whatever cuBLASLt does not take, or where it is not.
#include <algorithm>
#include <memory>

#include "device.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/matmul/matmul_op.h"
#include "kernels/matmul/own_matmul.h"

namespace loci::cuda {
namespace {

struct OwnProducts {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, threads, launch.input<void>(0), launch.input<void>(1),
                    launch.output<void>(0), products, op.epilogue(launch, columns));
  }
  KernelFunction function;
  std::int64_t threads;
  MatmulProducts products;
  MatmulOp op;
  std::int64_t columns;
};

std::int64_t tiles_of(const sdk::MatmulSizes& sizes, std::int64_t tile) {
  const auto along = [&](std::int64_t extent) { return (extent + tile - 1) / tile; };
  return sizes.batch * along(sizes.m) * along(sizes.n);
}

// Small tiles where large ones would be mostly empty, or fewer than the device computes at once.
bool takes_small_tiles(const sdk::MatmulSizes& sizes, std::uint32_t multiprocessors) {
  return std::min(sizes.m, sizes.n) <= kLargeTile / 2 ||
         tiles_of(sizes, kLargeTile) < multiprocessors;
}

class OwnMatmul final : public sdk::Kernel {
 public:
  explicit OwnMatmul(const sdk::OpDesc& op) : op_(op) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::MatmulShape shape = op_.shape(prepare.op());
    const std::uint32_t multiprocessors =
        sdk::device_of<Device>(prepare.device()).multiprocessors();
    const bool small = takes_small_tiles(shape.sizes, multiprocessors);
    const std::string name =
        typed_name(small ? "matmul_small" : "matmul", as_unsigned(prepare.op().output(0).dtype()));
    const std::int64_t tiles = tiles_of(shape.sizes, small ? kSmallTile : kLargeTile);
    prepare.emplace<OwnProducts>(KernelFunction(prepare, kMatmulImage, name), tiles * kBlockThreads,
                                 products_of(shape), op_, result_columns(prepare.op()));
  }

 private:
  MatmulOp op_;
};

void add(Kernels& kernels, std::string_view op, std::uint64_t dtypes) {
  kernels.push_back(
      {op, kName, dtypes, sdk::make_kernel<OwnMatmul>, nullptr, {}, LOCI_KERNEL_CAPTURABLE});
}

}  // namespace

std::unique_ptr<sdk::Kernel> make_own_matmul(const sdk::OpDesc& op) {
  return std::make_unique<OwnMatmul>(op);
}

void add_matmul(Kernels& kernels) {
  add(kernels, "fused_matmul", sdk::kFloatBits);
  add(kernels, "matmul", sdk::kNumberBits);
  add(kernels, "mul", sdk::kNumberBits);
}

}  // namespace loci::cuda
