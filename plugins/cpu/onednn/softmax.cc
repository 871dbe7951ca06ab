// softmax by oneDNN.
#include <loci/plugin/dims.hpp>
#include <utility>

#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/cpu/onednn/sub_array.h"

namespace loci::cpu::onednn {
namespace {

using sdk::OpDesc;

constexpr double kLeastSoftmaxElements = 8192;
// What an exponential costs, with the rest, in multiplications.
constexpr double kMultiplicationsOfExponential = 32;

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
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    const auto x = op.input(0);
    // Where the first dimension is normalised along, nothing is cut.
    if (axis_of(op) == 0) return {};
    const double work = static_cast<double>(x.numel()) * kMultiplicationsOfExponential;
    return {CutAxis::kBatch, cut_well(rows_of(op).extents[0], 1, parts_of(work, threads), threads)};
  }
  [[nodiscard]] int axis_of(const OpDesc& op) const {
    return static_cast<int>(sdk::axis_index(axis_, op.input(0).dims().size()));
  }
  // [what comes before the axis, the axis, what comes after it].
  [[nodiscard]] SubArray rows_of(const OpDesc& op) const {
    const sdk::Dims dims = op.input(0).dims();
    const auto axis = static_cast<std::size_t>(axis_of(op));
    dnnl::memory::dims extents{1, dims[axis], 1};
    for (std::size_t i = 0; i < axis; ++i) extents[0] *= dims[i];
    for (std::size_t i = axis + 1; i < dims.size(); ++i) extents[2] *= dims[i];
    if (extents[2] == 1) extents.pop_back();
    return SubArray::dense(std::move(extents));
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    require_exact_exponential();
    SubArray rows = rows_of(op);
    if (axis == CutAxis::kBatch) rows.narrow(0, range);
    const Slice x = rows.slice(elements);
    const auto desc = softmax_desc(x.desc, x.desc, 1);
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
