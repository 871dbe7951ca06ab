// Functions of pairs of elements, with broadcasting, by binary.cu.
#include <loci/plugin/broadcast.hpp>

#include "kernels/broadcast_axes.h"
#include "kernels/kernel_function.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_binary[];

namespace loci::cuda {
namespace {

static_assert(kMostAxes == LOCI_MAX_RANK);

constexpr KernelImage kBinaryImage{"binary", loci_cuda_binary};

using OperandAxes = sdk::AxisListOf<2>;

// The whole result: each operand has an element for each of its, or only one.
struct RowMap {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, vectors, launch.input<void>(0), launch.input<void>(1),
                    launch.output<void>(0), count, x_step, y_step);
  }
  KernelFunction function;
  std::int64_t vectors;
  std::int64_t count;
  std::int64_t x_step;
  std::int64_t y_step;
};

struct BroadcastMap {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, vectors, launch.input<void>(0), launch.input<void>(1),
                    launch.output<void>(0), axes);
  }
  KernelFunction function;
  std::int64_t vectors;
  BroadcastAxes axes;
};

BroadcastAxes innermost_first(const OperandAxes& operands) {
  BroadcastAxes axes{operands.count, operands.rank, {}};
  for (int i = 0; i < operands.rank; ++i) {
    const auto from = static_cast<std::size_t>(operands.rank - 1 - i);
    const std::int64_t extent = operands.extents[from];
    axes.axes[i] = {extent, division_by(extent), operands.strides[from][0],
                    operands.strides[from][1]};
  }
  return axes;
}

void prepare_binary(sdk::Prepare& prepare) {
  const sdk::OpDesc& op = prepare.op();
  const loci_dtype dtype = op.output(0).dtype();
  const OperandAxes axes =
      sdk::broadcast_axes<2>({op.input(0).dims(), op.input(1).dims()}, op.output(0).dims());
  const std::string stem(op.name());
  const std::int64_t vectors = vectors_of(axes.count, dtype);
  if (axes.rank > 1) {
    prepare.emplace<BroadcastMap>(
        KernelFunction(prepare, kBinaryImage, typed_name(stem + "_broadcast", dtype)), vectors,
        innermost_first(axes));
    return;
  }
  const auto steps = axes.rank == 1 ? axes.strides[0] : std::array<std::int64_t, 2>{1, 1};
  prepare.emplace<RowMap>(KernelFunction(prepare, kBinaryImage, typed_name(stem, dtype)), vectors,
                          axes.count, steps[0], steps[1]);
}

}  // namespace

void add_binary(Kernels& kernels) {
  const auto add = [&](std::string_view op, std::uint64_t dtypes) {
    kernels.push_back({op,
                       kName,
                       dtypes,
                       sdk::make_kernel<prepare_binary>,
                       nullptr,
                       {{0, 0}, {1, 0}},
                       LOCI_KERNEL_CAPTURABLE});
  };
  for (const char* op : {"elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div",
                         "elementwise_max", "elementwise_min"}) {
    add(op, kNumbers);
  }
  add("square_error_cost", sdk::kFloatBits);
}

}  // namespace loci::cuda
