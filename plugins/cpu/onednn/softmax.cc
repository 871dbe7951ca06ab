// softmax by oneDNN.
#include <loci/plugin/dims.hpp>

#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using sdk::OpDesc;

constexpr double kLeastSoftmaxElements = 8192;

class Softmax final : public Accelerated {
 public:
  explicit Softmax(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op) const override {
    const auto x = dense(dims_of(op.input(0)));
    const auto axis = static_cast<int>(sdk::axis_index(axis_, op.input(0).dims().size()));
    const auto desc = softmax_desc(x, x, axis);
    auto execution = Execution::of<SoftmaxForward::primitive_desc, SoftmaxForward>(desc);
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
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Softmax>,
                     .supports = supports,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::cpu::onednn
