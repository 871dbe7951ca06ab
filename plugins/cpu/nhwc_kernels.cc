#include "plugins/cpu/nhwc_kernels.h"

#include <algorithm>
#include <loci/plugin/elementwise_functions.hpp>
#include <loci/plugin/pool2d.hpp>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/permuted_op.h"
#include "plugins/kernels/max_pool_nhwc.h"
#include "plugins/kernels/widened.h"

namespace loci::cpu {
namespace {

#define LOCI_NAME(op, Function) #op,
constexpr std::string_view kElementwise[] = {LOCI_FLOAT_FUNCTIONS(LOCI_NAME)   //
                                             LOCI_NUMBER_FUNCTIONS(LOCI_NAME)  //
                                             "clip",
                                             "clip_grad",
                                             "elementwise_add",
                                             "elementwise_div",
                                             "elementwise_max",
                                             "elementwise_min",
                                             "elementwise_mul",
                                             "elementwise_sub",
                                             "fused_elementwise",
                                             "gelu",
                                             "gelu_grad",
                                             "relu_grad",
                                             "scale",
                                             "sigmoid_grad",
                                             "tanh_grad"};
#undef LOCI_NAME

using Creators = std::map<std::string_view, sdk::CreateFn>;

// Returns for each op the function that makes its portable kernel.
const Creators& creators() {
  static const Creators& all = *new Creators([] {
    Creators list;
    for (const sdk::KernelDef& def : kernels::portable_kernels()) list[def.op] = def.create;
    return list;
  }());
  return all;
}

// An operator that treats all axes alike. `images` is the argument that all its images are as large
// as.
template <auto images>
class Broadcasting final : public sdk::Kernel {
 public:
  explicit Broadcasting(const sdk::OpDesc& op) : kernel_(creators().at(op.name())(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    if (!reads_nhwc(op)) return kernel_->prepare(prepare);
    PermutedOp(op, images(op).dims(), PermutedOp::Others::kBroadcast).prepare_by(*kernel_, prepare);
  }

 private:
  std::unique_ptr<sdk::Kernel> kernel_;
};

sdk::Arg first_output(const sdk::OpDesc& op) { return op.output(0); }
sdk::Arg first_input(const sdk::OpDesc& op) { return op.input(0); }

// The kernel of an operator whose attribute data_layout says that channels come last.
std::unique_ptr<sdk::Kernel> channels_last(const sdk::OpDesc& op) {
  loci_op_desc desc = op.raw();
  std::vector<loci_attr> attributes(desc.attrs, desc.attrs + desc.attr_count);
  for (loci_attr& attribute : attributes) {
    if (sdk::to_view(attribute.name) == "data_layout") attribute.text = {"NHWC", 4};
  }
  desc.attrs = attributes.data();
  return creators().at(op.name())(sdk::OpDesc(desc));
}

// batch_norm and its gradient. To them channels are last where their attribute says so, too.
class Norm final : public sdk::Kernel {
 public:
  explicit Norm(const sdk::OpDesc& op)
      : plain_(creators().at(op.name())(op)),
        pixels_(channels_last(op)),
        is_plain_last_(op.attributes().text("data_layout") == "NHWC") {}

  void prepare(sdk::Prepare& prepare) const override {
    if (!reads_nhwc(prepare.op())) return plain_->prepare(prepare);
    if (is_plain_last_) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its channels are the last axis of what it is given");
    }
    PermutedOp(prepare.op(), prepare.op().output(0).dims(), PermutedOp::Others::kChannels)
        .prepare_by(*pixels_, prepare);
  }

 private:
  std::unique_ptr<sdk::Kernel> plain_;
  std::unique_ptr<sdk::Kernel> pixels_;
  bool is_plain_last_;
};

bool is_in_nhwc(sdk::Arg images) { return image_layout(images) == kernels::ImageLayout::kNhwc; }

// Handles maxima; oneDNN has averages in kNhwc. Those ask nothing of x, and both nothing of out.
class PoolGrad final : public sdk::Kernel {
 public:
  explicit PoolGrad(const sdk::OpDesc& op)
      : plain_(creators().at(op.name())(op)), options_(sdk::read_pool_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::Arg out_grad = op.input(2);
    if (!is_in_nhwc(out_grad) && !(options_.is_max && is_in_nhwc(op.input(0)))) {
      return plain_->prepare(prepare);
    }
    if (!options_.is_max || !lies_in_nhwc(op.input(0)) || !lies_in_nhwc(out_grad) ||
        !may_write_nhwc(op)) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images have channels last");
    }
    const sdk::Dims x = op.input(0).dims();
    const kernels::PoolGeometry geometry(sdk::pool_shape(x, options_), options_);
    if (op.input(0).dtype() == LOCI_DTYPE_F64) {
      prepare.emplace<kernels::MaxPoolNhwcGrad<double>>(&prepare.host(), geometry, x[1]);
    } else {
      const kernels::MaxPoolNhwcGrad<float> grad{&prepare.host(), geometry, x[1]};
      if (sdk::dtype_bytes(op.input(0).dtype()) == 2) {
        kernels::emplace_widened(prepare, {3}, 0, grad);
      } else {
        prepare.emplace<kernels::MaxPoolNhwcGrad<float>>(grad);
      }
    }
    choose_nhwc(prepare);
  }

 private:
  std::unique_ptr<sdk::Kernel> plain_;
  sdk::PoolOptions options_;
};

bool is_elementwise(std::string_view op) {
  return std::find(std::begin(kElementwise), std::end(kElementwise), op) != std::end(kElementwise);
}

sdk::CreateFn nhwc_kernel_of(std::string_view op) {
  if (is_elementwise(op)) return sdk::make_kernel<Broadcasting<first_output>>;
  if (op == "reduce_sum_like") return sdk::make_kernel<Broadcasting<first_input>>;
  if (op == "batch_norm" || op == "batch_norm_grad") return sdk::make_kernel<Norm>;
  if (op == "pool2d_grad") return sdk::make_kernel<PoolGrad>;
  return nullptr;
}

}  // namespace

kernels::KernelDefs with_nhwc(kernels::KernelDefs portable) {
  for (sdk::KernelDef& def : portable) {
    const sdk::CreateFn create = nhwc_kernel_of(def.op);
    if (create == nullptr) continue;
    def.flags |= LOCI_KERNEL_OWN_LAYOUTS;
    def.create = create;
  }
  return portable;
}

}  // namespace loci::cpu
