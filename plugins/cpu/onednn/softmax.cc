// softmax by oneDNN.
#include <loci/plugin/dims.hpp>

#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using sdk::OpDesc;

constexpr double kLeastSoftmaxElements = 8192;

// Found by comparing: 37 roundoffs for small results with SSE4.1, which softmax does not allow.
void require_exact_exponential() {
  constexpr auto kNeeded = static_cast<unsigned>(dnnl::cpu_isa::avx2);
  if ((static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & kNeeded) == kNeeded) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "oneDNN's exponential without AVX2 is not exact enough");
}

class Softmax final : public Accelerated {
 public:
  explicit Softmax(const OpDesc& op) : Accelerated(1), axis_(op.attributes().integer("axis")) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    require_exact_exponential();
    const auto x = elements.dense(dims_of(op.input(0)));
    const auto axis = static_cast<int>(sdk::axis_index(axis_, op.input(0).dims().size()));
    const auto desc = softmax_desc(x, x, axis);
    auto execution = Execution::of<SoftmaxForward::primitive_desc, SoftmaxForward>(elements, desc);
    if (!execution) return std::nullopt;
    execution->bind_input(DNNL_ARG_SRC, 0, x, desc.src_desc());
    execution->bind_output(DNNL_ARG_DST, 0, x, desc.dst_desc());
    return execution;
  }

  std::int64_t axis_;
};

std::string supports(const OpDesc& op) {
  if (!has_elements(op, 1)) return "there is nothing to normalise, or its extents are not known";
  return too_small(static_cast<double>(op.input(0).numel()), kLeastSoftmaxElements, "elements");
}

}  // namespace

void add_softmax(KernelDefs& kernels) {
  kernels.push_back({.op = "softmax",
                     .name = kName,
                     // It rounds the exponentials of bfloat16 before it divides them.
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
                     .create = sdk::make_kernel<Softmax>,
                     .supports = supports,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::cpu::onednn
