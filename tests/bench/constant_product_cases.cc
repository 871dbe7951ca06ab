#include "tests/bench/constant_product_cases.h"

#include <memory>
#include <string>

namespace loci::bench {
namespace {

// A program of one product, whose matrix is a parameter.
class CompiledProduct {
 public:
  CompiledProduct(const Shape& rows, const Tensor& matrix) : executor_("cpu", {}, scope_) {
    scope_.set("matrix", matrix);
    const ProgramGuard building(program_, startup_);
    const Variable x = data("x", rows, kFloat32);
    const Variable y =
        create_parameter(matrix.shape(), kFloat32, initializer::constant(0), "matrix");
    out_ = matmul(x, y);
  }
  Tensor run(const Tensor& x) { return executor_.run(program_, {{"x", x}}, {out_})[0]; }

 private:
  Scope scope_;
  Executor executor_;
  Program program_;
  Program startup_;
  Variable out_;
};

KernelCase constant_product(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  const Tensor x = randn({rows, depth});
  const Tensor matrix = randn({depth, columns});
  const auto compiled = std::make_shared<CompiledProduct>(x.shape(), matrix);
  return {"matmul " + std::to_string(rows) + "x" + std::to_string(depth) + "x" +
              std::to_string(columns) + " by a constant",
          {x, matrix},
          [compiled](const std::vector<Tensor>& in) { return compiled->run(in[0]); },
          "x @ y",
          "[node('MatMul', ['x', 'y'])]",
          1e-3,
          /*constants=*/1};
}

}  // namespace

std::vector<KernelCase> constant_product_cases() { return {constant_product(1, 4096, 4096)}; }

}  // namespace loci::bench
