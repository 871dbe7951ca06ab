// conv2d, fused_conv2d and the gradient of the image by cuBLASLt where windows are single pixels
// that follow one another: the filters are a matrix then, and each image is one of channels and
// pixels.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/conv2d/conv2d_op.h"
#include "kernels/conv2d/conv2d_shape.h"
#include "kernels/conv2d/left_conv_epilogue.h"
#include "kernels/conv2d/own_conv2d.h"
#include "kernels/kernel_list.h"
#include "kernels/matmul/cublaslt_product.h"

namespace loci::cuda {
namespace {

std::string refuse_pixels(const sdk::ConvShape& shape) {
  const auto& [height, width] = shape.window;
  const bool are_all = shape.kernel_size() == 1 && height.output == height.input &&
                       width.output == width.input && height.before == 0 && width.before == 0;
  if (!are_all || shape.groups != 1) {
    return "only windows of one pixel, of all channels and of each pixel there is, are products";
  }
  const std::int64_t elements = shape.batch * shape.image_size();
  if (elements == 0 || shape.group_channels == 0 || shape.group_filters == 0) {
    return "there is nothing to multiply";
  }
  constexpr std::int64_t kMostProducts = std::numeric_limits<std::int32_t>::max();
  return shape.batch > kMostProducts ? "there are too many images" : std::string();
}

sdk::ConvShape require_nhwc(const sdk::ConvShape& shape) {
  const std::string reason = refuse_pixels(shape);
  if (!reason.empty()) throw sdk::Error(LOCI_CODE_UNSUPPORTED, reason);
  return shape;
}

// A matrix times that of each image.
sdk::MatmulShape product_of_images(const sdk::ConvShape& shape, std::int64_t rows,
                                   std::int64_t terms) {
  const std::int64_t pixels = shape.image_size();
  sdk::MatmulShape product;
  product.sizes = {shape.batch, rows, pixels, terms};
  product.y_row = pixels;
  product.y_column = 1;
  product.batch.push_back(shape.batch, {0, terms * pixels});
  return product;
}

// [filters, channels] times [channels, pixels].
sdk::MatmulShape forward_product(const sdk::ConvShape& shape) {
  auto product = product_of_images(shape, shape.group_filters, shape.group_channels);
  product.x_row = shape.group_channels;
  product.x_column = 1;
  return product;
}

// The transposed filters times [filters, pixels].
sdk::MatmulShape image_grad_product(const sdk::ConvShape& shape) {
  auto product = product_of_images(shape, shape.group_channels, shape.group_filters);
  product.x_row = 1;
  product.x_column = shape.group_channels;
  return product;
}

// Its bias has an element for each pixel, and not for each filter.
CublasLtEpilogue library_epilogue(const ConvEpilogueOp& op) {
  const bool is_plain = !op.has_bias() && !op.has_norm();
  const bool activates = is_plain && op.activation() == Activation::kRelu;
  return {false, is_plain && op.has_residual(), activates ? op.activation() : Activation::kNone};
}

bool is_whole(const ConvEpilogueOp& op, const CublasLtEpilogue& done) {
  return !op.has_bias() && !op.has_norm() && done.residual == op.has_residual() &&
         done.activation == op.activation();
}

struct PixelProduct {
  // Launches the product of the filters with what is gathered from.
  void launch(const sdk::Launch& launch, const void* weights, const void* source,
              const void* residual) const {
    const CublasLtOperands operands{weights, source, launch.output<void>(0), nullptr, residual};
    if (elsewhere && !product->takes(operands)) return elsewhere->launch(launch);
    product->launch(launch, operands);
    if (left) left->launch(launch, product->results(launch));
  }
  std::unique_ptr<const CublasLtProduct> product;
  std::optional<LeftConvEpilogue> left;
  // Our own kernel, where the library takes no operands that begin anywhere.
  std::optional<sdk::PreparedPart> elsewhere;
};

struct NhwcForward {
  void launch(const sdk::Launch& launch) const {
    product.launch(launch, launch.input<void>(1), launch.input<void>(0),
                   epilogue.in(launch).residual);
  }
  PixelProduct product;
  ConvEpilogueOp epilogue;
};

struct NhwcImageGrad {
  void launch(const sdk::Launch& launch) const {
    product.launch(launch, launch.input<void>(0), launch.input<void>(1), nullptr);
  }
  PixelProduct product;
};

// Sets the workspace of the product, and not what is emplaced.
std::optional<sdk::PreparedPart> prepare_around(sdk::Prepare& prepare,
                                                const CublasLtProduct& product,
                                                const sdk::Kernel& own) {
  std::optional<sdk::PreparedPart> elsewhere;
  if (!product.takes_any_address()) elsewhere = prepare.part(own);
  prepare.set_workspace(product.workspace());
  return elsewhere;
}

class CublasLtConv final : public sdk::Kernel {
 public:
  explicit CublasLtConv(const sdk::OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())),
        epilogue_(op),
        own_(make_own_conv2d(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape =
        require_nhwc(sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options_));
    const CublasLtEpilogue library = library_epilogue(epilogue_);
    auto [product, done] = make_cublaslt_product(prepare, forward_product(shape),
                                                 {library, is_whole(epilogue_, library)});
    auto left = left_of(prepare, shape, done);
    auto elsewhere = prepare_around(prepare, *product, *own_);
    prepare.emplace<NhwcForward>(
        PixelProduct{std::move(product), std::move(left), std::move(elsewhere)}, epilogue_);
  }

 private:
  [[nodiscard]] std::optional<LeftConvEpilogue> left_of(const sdk::Prepare& prepare,
                                                        const sdk::ConvShape& shape,
                                                        const CublasLtEpilogue& done) const {
    if (is_whole(epilogue_, done)) return std::nullopt;
    return LeftConvEpilogue(prepare, epilogue_, shape,
                            {done.residual, done.activation != Activation::kNone});
  }

  sdk::ConvOptions options_;
  ConvEpilogueOp epilogue_;
  std::unique_ptr<sdk::Kernel> own_;
};

class CublasLtConvImageGrad final : public sdk::Kernel {
 public:
  explicit CublasLtConvImageGrad(const sdk::OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())), own_(make_own_conv2d_grad_input(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape =
        require_nhwc(sdk::conv_shape(op.input(2).dims(), op.input(0).dims(), options_));
    auto product = make_cublaslt_product(prepare, image_grad_product(shape), {{}, true}).product;
    auto elsewhere = prepare_around(prepare, *product, *own_);
    prepare.emplace<NhwcImageGrad>(
        PixelProduct{std::move(product), std::nullopt, std::move(elsewhere)});
  }

 private:
  sdk::ConvOptions options_;
  std::unique_ptr<sdk::Kernel> own_;
};

}  // namespace

void add_cublaslt_conv2d(Kernels& kernels) {
  const auto add = [&](std::string_view op, sdk::CreateFn create) {
    kernels.push_back(
        {op, "cublaslt", sdk::kFloatBits, create, nullptr, {}, LOCI_KERNEL_CAPTURABLE});
  };
  add("conv2d", sdk::make_kernel<CublasLtConv>);
  add("fused_conv2d", sdk::make_kernel<CublasLtConv>);
  add("conv2d_grad_input", sdk::make_kernel<CublasLtConvImageGrad>);
}

}  // namespace loci::cuda
