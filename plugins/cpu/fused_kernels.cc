#include "plugins/cpu/fused_kernels.h"

#include <algorithm>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/matmul.hpp>
#include <memory>
#include <utility>

#include "plugins/cpu/fused_epilogue.h"

namespace loci::cpu {
namespace {

using sdk::OpDesc;

sdk::CreateFn creator(const kernels::KernelDefs& list, std::string_view op) {
  return std::find_if(list.begin(), list.end(), [&](const auto& def) { return def.op == op; })
      ->create;
}

// How the products' kernels are made.
struct Products {
  explicit Products(const kernels::KernelDefs& portable)
      : matmul(creator(portable, "matmul")), conv2d(creator(portable, "conv2d")) {}
  sdk::CreateFn matmul;
  sdk::CreateFn conv2d;
};
const Products& products() {
  static const Products instance(kernels::portable_kernels());
  return instance;
}

struct PreparedMatmul {
  void launch(const sdk::Launch& launch) const {
    product.launch(launch);
    kernels::finish_matrix(*host, epilogue.in(launch), launch.output<float>(0), rows, columns);
  }
  const sdk::Host* host;
  sdk::PreparedPart product;
  MatmulEpilogue epilogue;
  std::int64_t rows;
  std::int64_t columns;
};

class FusedMatmul final : public sdk::Kernel {
 public:
  explicit FusedMatmul(const OpDesc& op) : product_(products().matmul(op)), epilogue_(op) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Dims out = prepare.op().output(0).dims();
    const std::int64_t columns = out.size() == 0 ? 1 : out[out.size() - 1];
    const std::int64_t rows = columns == 0 ? 0 : prepare.op().output(0).numel() / columns;
    sdk::PreparedPart product = prepare.part(*product_);
    prepare.emplace<PreparedMatmul>(&prepare.host(), std::move(product), epilogue_, rows, columns);
  }

 private:
  std::unique_ptr<sdk::Kernel> product_;
  MatmulEpilogue epilogue_;
};

struct PreparedConv {
  void launch(const sdk::Launch& launch) const {
    product.launch(launch);
    epilogue.finish(*host, launch, launch.workspace<float>(scratch));
  }
  const sdk::Host* host;
  sdk::PreparedPart product;
  ConvEpilogue epilogue;
  std::uint64_t scratch;  // bytes from the workspace's begin
};

class FusedConv final : public sdk::Kernel {
 public:
  explicit FusedConv(const OpDesc& op)
      : product_(products().conv2d(op)), options_(sdk::read_conv_options(op.attributes())) {}
  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    ConvEpilogue epilogue(op, sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options_));
    // The portable kernel adds the bias.
    epilogue.leave_out_bias();
    sdk::PreparedPart product = prepare.part(*product_);
    constexpr std::uint64_t kAlignment = 64;
    const std::uint64_t scratch = (prepare.workspace() + kAlignment - 1) / kAlignment * kAlignment;
    prepare.set_workspace(scratch + epilogue.scratch() * sizeof(float));
    prepare.emplace<PreparedConv>(&prepare.host(), std::move(product), epilogue, scratch);
  }

 private:
  std::unique_ptr<sdk::Kernel> product_;
  sdk::ConvOptions options_;
};

template <class Kernel>
sdk::KernelDef fused(std::string_view op) {
  return {.op = op,
          .name = kernels::kPortable,
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
          .create = sdk::make_kernel<Kernel>};
}

}  // namespace

kernels::KernelDefs fused_kernels() {
  return {fused<FusedMatmul>("fused_matmul"), fused<FusedConv>("fused_conv2d")};
}

}  // namespace loci::cpu
