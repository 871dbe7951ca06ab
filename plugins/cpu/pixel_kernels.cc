#include "plugins/cpu/pixel_kernels.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/cpu/image_layouts.h"

namespace loci::cpu {
namespace {

using kernels::ImageLayout;

constexpr std::string_view kElementwise[] = {"abs",
                                             "clip",
                                             "elementwise_add",
                                             "elementwise_div",
                                             "elementwise_max",
                                             "elementwise_min",
                                             "elementwise_mul",
                                             "elementwise_sub",
                                             "exp",
                                             "fused_elementwise",
                                             "gelu",
                                             "hard_sigmoid",
                                             "hard_swish",
                                             "relu",
                                             "scale",
                                             "sigmoid",
                                             "square",
                                             "tanh"};

using Creators = std::map<std::string_view, sdk::CreateFn>;

// What makes the portable kernel of each.
const Creators& creators() {
  static const Creators& all = *new Creators([] {
    Creators list;
    for (const sdk::KernelDef& def : kernels::portable_kernels()) list[def.op] = def.create;
    return list;
  }());
  return all;
}

// An operator on images as the same one on [batch, height, width, channels].
class PermutedOp {
 public:
  explicit PermutedOp(const sdk::OpDesc& op) : desc_(op.raw()) {
    const sdk::Dims images = op.output(0).dims();
    inputs_ = permuted(desc_.inputs, desc_.input_slots[desc_.input_slot_count], images,
                       [](const sdk::Arg& input) {
                         return image_layout(input) == ImageLayout::kPixels;  // a constant is not
                       });
    outputs_ = permuted(desc_.outputs, desc_.output_slots[desc_.output_slot_count], images,
                        [](const sdk::Arg& output) { return output.takes_any_layout(); });
    desc_.inputs = inputs_.data();
    desc_.outputs = outputs_.data();
  }
  PermutedOp(const PermutedOp&) = delete;
  PermutedOp& operator=(const PermutedOp&) = delete;

  [[nodiscard]] const loci_op_desc& desc() const { return desc_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] std::size_t outputs() const { return outputs_.size(); }

 private:
  template <class AreLast>
  std::vector<loci_arg> permuted(const loci_arg* args, std::uint32_t count, sdk::Dims images,
                                 const AreLast& channels_are_last) {
    std::vector<loci_arg> list(args, args + count);
    for (loci_arg& arg : list) {
      if (arg.dtype == LOCI_DTYPE_NONE) continue;
      require_alike(sdk::Arg(arg).dims(), images, channels_are_last(sdk::Arg(arg)));
      std::array<std::int64_t, 4> extents{1, 1, 1, 1};
      std::copy_n(arg.dims, arg.rank, extents.end() - arg.rank);
      dims_.push_back({extents[0], extents[2], extents[3], extents[1]});
      arg.dims = dims_.back().data();
      arg.rank = 4;
      arg.layout = LOCI_LAYOUT_PLAIN;
    }
    return list;
  }

  // That its elements lie so: it comes in that layout, or in both at once.
  static void require_alike(sdk::Dims dims, sdk::Dims images, bool channels_are_last) {
    if (dims.size() > 4) decline();
    if (channels_are_last) {
      if (!std::equal(dims.begin(), dims.end(), images.begin(), images.end())) decline();
      return;
    }
    std::array<std::int64_t, 4> extents{1, 1, 1, 1};
    std::copy_n(dims.begin(), dims.size(),
                extents.end() - static_cast<std::ptrdiff_t>(dims.size()));
    if (extents[1] != 1 && extents[2] * extents[3] != 1) decline();
  }

  [[noreturn]] static void decline() {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images have channels last");
  }

  loci_op_desc desc_;
  std::deque<std::array<std::int64_t, 4>> dims_;
  std::vector<loci_arg> inputs_;
  std::vector<loci_arg> outputs_;
};

struct PreparedPixels {
  void launch(const sdk::Launch& launch) const { part.launch(launch); }
  sdk::PreparedPart part;
};

class Elementwise final : public sdk::Kernel {
 public:
  explicit Elementwise(const sdk::OpDesc& op) : kernel_(creators().at(op.name())(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    if (!reads_pixels(prepare.op())) return kernel_->prepare(prepare);
    const PermutedOp op(prepare.op());
    std::vector<std::uint32_t> layouts(op.inputs() + op.outputs());
    loci_prepared_info info{};
    info.struct_size = sizeof info;
    info.input_layouts = layouts.data();
    info.output_layouts = layouts.data() + op.inputs();
    sdk::Prepare around(prepare.host(), prepare.device(), op.desc(), info);
    sdk::PreparedPart part = around.part(*kernel_);
    prepare.set_workspace(info.workspace_bytes);
    prepare.set_state(info.state_bytes);
    prepare.set_memory(info.memory_bytes);
    prepare.emplace<PreparedPixels>(std::move(part));
    for (std::uint32_t i = 0; i < op.outputs(); ++i) choose_pixels(prepare, i);
  }

 private:
  static bool reads_pixels(const sdk::OpDesc& op) {
    const loci_op_desc& raw = op.raw();
    return std::any_of(raw.inputs, raw.inputs + raw.input_slots[raw.input_slot_count],
                       [](const loci_arg& input) {
                         return image_layout(sdk::Arg(input)) == ImageLayout::kPixels;
                       });
  }

  std::unique_ptr<sdk::Kernel> kernel_;
};

}  // namespace

kernels::KernelDefs with_pixels(kernels::KernelDefs portable) {
  for (sdk::KernelDef& def : portable) {
    const auto* const found = std::find(std::begin(kElementwise), std::end(kElementwise), def.op);
    if (found == std::end(kElementwise)) continue;
    def.flags |= LOCI_KERNEL_OWN_LAYOUTS;
    def.create = sdk::make_kernel<Elementwise>;
  }
  return portable;
}

}  // namespace loci::cpu
