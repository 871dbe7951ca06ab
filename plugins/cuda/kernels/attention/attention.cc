// attention by attention.cu, of heads that are not too wide; of others the op is decomposed.
#include <algorithm>
#include <string>

#include "device.h"
#include "kernels/attention/attention_op.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_attention[];

namespace loci::cuda {
namespace {

constexpr KernelImage kAttentionImage{"attention", loci_cuda_attention};
constexpr std::uint64_t kTypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F16) | LOCI_DTYPE_BIT(LOCI_DTYPE_BF16) |
                                 LOCI_DTYPE_BIT(LOCI_DTYPE_F32);

struct Attention {
  void launch(const sdk::Launch& launch) const {
    AttentionArguments op = shape;
    op.query = launch.input<void>(0);
    op.key = launch.input<void>(1);
    op.value = launch.input<void>(2);
    op.mask = has_mask ? launch.input<void>(3) : nullptr;
    op.out = launch.output<void>(0);
    place_attention_spans(op, launch.workspace<void>());
    function.launch(launch, size, op);
    if (op.spans.value > 1) join.launch(launch, op.rows * op.value_width, op);
  }

  KernelFunction function;
  KernelFunction join;
  LaunchSize size;
  AttentionArguments shape;
  bool has_mask;
};

// Blocks of float32 have no room for more.
constexpr int most_queries(int element_bytes, int width) {
  return element_bytes * width > 256 ? 64 : 128;
}
static_assert(attention_shared_bytes(4, 64, 128) <= kMostSharedBytes);
static_assert(attention_shared_bytes(4, 128, 64) <= kMostSharedBytes);
static_assert(attention_shared_bytes(2, 128, 128) <= kMostSharedBytes);

int width_of(const sdk::OpDesc& op, std::int64_t heads) {
  const std::int64_t widest = std::max(op.input(0).dim(2), op.input(2).dim(2)) / heads;
  const int width = attention_width(widest);
  if (width == 0) {
    throw sdk::Error(
        LOCI_CODE_UNSUPPORTED,
        "its kernels take heads of 128 columns at most, not of " + std::to_string(widest));
  }
  return width;
}

class AttentionKernel final : public sdk::Kernel {
 public:
  explicit AttentionKernel(const sdk::OpDesc& op)
      : options_{op.attributes().integer("heads"), op.attributes().real("factor"),
                 op.attributes().boolean("zero_hidden")},
        has_mask_(op.has_input(3)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg query = prepare.op().input(0);
    const int width = width_of(prepare.op(), options_.heads);
    const int element_bytes = query.dtype() == LOCI_DTYPE_F32 ? 4 : 2;
    AttentionArguments shape = attention_arguments(prepare.op(), options_);
    const std::int64_t multiprocessors = sdk::device_of<Device>(prepare.device()).multiprocessors();
    const int queries =
        attention_queries(shape, query.dim(0), most_queries(element_bytes, width), multiprocessors);
    take_attention_tiles(shape, query.dim(0), queries);
    take_attention_spans(shape, queries, multiprocessors);
    prepare.set_workspace(attention_span_bytes(shape));
    LaunchSize size{shape.tiles * shape.spans.value * kBlockThreads};
    size.shared_bytes =
        static_cast<std::uint32_t>(attention_shared_bytes(element_bytes, width, queries));
    const std::string stem = "attention_" + std::to_string(queries) + "_" + std::to_string(width);
    prepare.emplace<Attention>(
        KernelFunction(prepare, kAttentionImage, typed_name(stem, query.dtype()),
                       size.shared_bytes),
        KernelFunction(prepare, kAttentionImage, typed_name("attention_spans", query.dtype())),
        size, shape, has_mask_);
  }

 private:
  AttentionOptions options_;
  bool has_mask_;
};

}  // namespace

void add_attention(Kernels& kernels) {
  kernels.push_back(enqueuing("attention", kTypes, sdk::make_kernel<AttentionKernel>));
}

}  // namespace loci::cuda
