// matmul, mul and fused_matmul by cuBLASLt, where that is found.
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "device.h"
#include "kernels/epilogue/finish_sums.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/fast_divmod.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/matmul/cublaslt_product.h"
#include "kernels/matmul/matmul_op.h"
#include "kernels/matmul/own_matmul.h"

namespace loci::cuda {
namespace {

// The part of an operator's epilogue that the library leaves to a kernel of our own.
struct LeftEpilogue {
  void launch(const sdk::Launch& launch, const void* sums) const {
    MatmulEpilogue left = op.epilogue(launch, columns.value);
    if (done.bias) left.bias = nullptr;
    if (done.residual) left.residual = nullptr;
    if (done.activation != Activation::kNone) left.activation = Activation::kNone;
    function.launch(launch, vectors, sums, launch.output<void>(0), count, columns, left);
  }
  KernelFunction function;
  MatmulOp op;
  CublasLtEpilogue done;
  std::int64_t vectors;
  std::int64_t count;
  FastDivmod columns;
};

struct LibraryProduct {
  void launch(const sdk::Launch& launch) const {
    CublasLtOperands operands{launch.input<void>(0), launch.input<void>(1), launch.output<void>(0)};
    if (has_bias) operands.bias = launch.input<void>(MatmulOp::kBiasSlot);
    if (has_residual) operands.residual = launch.input<void>(MatmulOp::kResidualSlot);
    if (elsewhere && !product->takes(operands)) return elsewhere->launch(launch);
    product->launch(launch, operands);
    if (left) left->launch(launch, product->results(launch));
  }
  std::unique_ptr<const CublasLtProduct> product;
  bool has_bias;
  bool has_residual;
  std::optional<LeftEpilogue> left;
  // Our own kernel, where the library takes no operands that begin anywhere.
  std::optional<sdk::PreparedPart> elsewhere;
};

std::string refuse(const sdk::MatmulShape& shape) {
  const auto& [batch, m, n, k] = shape.sizes;
  if (batch == 0 || m == 0 || n == 0 || k == 0) return "there is nothing to multiply";
  if (batch > std::numeric_limits<std::int32_t>::max()) return "there are too many products";
  if (batch > 1 && shape.batch.rank > 1) {
    return "cuBLASLt takes no operands that repeat along some leading extents and not along others";
  }
  return {};
}

// Its GELU is the approximation by tanh, with digits for halves.
bool does_activation(Activation activation, loci_dtype dtype) {
  return activation == Activation::kRelu ||
         (activation == Activation::kGeluTanh && is_half_dtype(dtype));
}

class CublasLtMatmul final : public sdk::Kernel {
 public:
  explicit CublasLtMatmul(const sdk::OpDesc& op) : op_(op), own_(make_own_matmul(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::MatmulShape shape = op_.shape(prepare.op());
    const std::string reason = refuse(shape);
    if (!reason.empty()) throw sdk::Error(LOCI_CODE_UNSUPPORTED, reason);
    const CublasLtEpilogue library = library_epilogue(prepare.op(), shape);
    auto [product, done] = make_cublaslt_product(prepare, shape, {library, is_whole(library)});
    std::optional<sdk::PreparedPart> elsewhere;
    if (!product->takes_any_address()) elsewhere = prepare.part(*own_);
    auto left = left_of(prepare, shape, done);
    prepare.set_workspace(product->workspace());
    prepare.emplace<LibraryProduct>(std::move(product), op_.has_bias(), op_.has_residual(),
                                    std::move(left), std::move(elsewhere));
  }

 private:
  // Returns the part that the library may do. Where y is a vector, a bias is not of the product's
  // columns, and what follows it waits too.
  [[nodiscard]] CublasLtEpilogue library_epilogue(const sdk::OpDesc& op,
                                                  const sdk::MatmulShape& shape) const {
    const bool adds_bias = op_.has_bias() && result_columns(op) == shape.sizes.n;
    const bool is_added = adds_bias || !op_.has_bias();
    const bool activates = is_added && does_activation(op_.activation(), op.output(0).dtype());
    return {adds_bias, op_.has_residual(), activates ? op_.activation() : Activation::kNone};
  }

  [[nodiscard]] bool is_whole(const CublasLtEpilogue& epilogue) const {
    return epilogue.bias == op_.has_bias() && epilogue.residual == op_.has_residual() &&
           epilogue.activation == op_.activation();
  }

  [[nodiscard]] std::optional<LeftEpilogue> left_of(const sdk::Prepare& prepare,
                                                    const sdk::MatmulShape& shape,
                                                    const CublasLtEpilogue& done) const {
    if (is_whole(done)) return std::nullopt;
    const loci_dtype dtype = prepare.op().output(0).dtype();
    const std::int64_t count = shape.sizes.batch * shape.sizes.m * shape.sizes.n;
    return LeftEpilogue{KernelFunction(prepare, kFinishImage, typed_name("finish_matmul", dtype)),
                        op_,
                        done,
                        vectors_of(count, dtype),
                        count,
                        fast_divmod_of(result_columns(prepare.op()))};
  }

  MatmulOp op_;
  std::unique_ptr<sdk::Kernel> own_;
};

}  // namespace

void add_cublaslt_matmul(Kernels& kernels) {
  for (const char* op : {"fused_matmul", "matmul", "mul"}) {
    kernels.push_back({op,
                       "cublaslt",
                       sdk::kFloatBits,
                       sdk::make_kernel<CublasLtMatmul>,
                       nullptr,
                       {},
                       LOCI_KERNEL_CAPTURABLE});
  }
}

}  // namespace loci::cuda
