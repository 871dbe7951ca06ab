// fused_matmul.
#include <fmt/format.h>

#include <loci/ops.hpp>
#include <loci/plugin/activation.hpp>
#include <string>
#include <string_view>

#include "tools/conformance/activations.h"
#include "tools/conformance/case.h"
#include "tools/conformance/product.h"

namespace loci::conformance {
namespace {

struct FusedMatmul {
  Shape x;
  Shape y;
  bool transpose_x = false;
  bool transpose_y = false;
  bool bias = false;
  bool residual = false;
  std::string activation = "none";
};

// The inputs of the op that come after x and y.
struct AddedToProduct {
  explicit AddedToProduct(const FusedMatmul& op) {
    std::size_t next = 2;
    if (op.bias) bias = next++;
    if (op.residual) residual = next;
  }
  std::size_t bias = 0;  // 0: none
  std::size_t residual = 0;
};

Expected reference(const FusedMatmul& op, const Arrays& in) {
  Expected out = product(in, op.transpose_x, op.transpose_y);
  const AddedToProduct added(op);
  const auto columns = static_cast<std::size_t>(out.shape[out.shape.rank() - 1]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Bounded value{out.values[i], out.slack[i]};
    const auto add = [&](Real term) {
      value.slack += std::abs(value.value) + std::abs(term);
      value.value += term;
    };
    if (op.bias) add(in[added.bias].values[i % columns]);
    if (op.residual) add(in[added.residual].values[i]);
    const Bounded last = activated(op.activation, value);
    out.values[i] = last.value;
    out.slack[i] = last.slack;
  }
  return out;
}

Case fused_case(DType dtype, const FusedMatmul& op) {
  const Shape out = product_shape(op.x, op.y, op.transpose_x, op.transpose_y);
  Case result{.op = "fused_matmul",
              .variant = fmt::format("{}{}{}{}{}", op.transpose_x ? "transpose_x " : "",
                                     op.transpose_y ? "transpose_y " : "", op.bias ? "bias " : "",
                                     op.residual ? "residual " : "", op.activation),
              .inputs = {{dtype, op.x, uniform(-1, 1)}, {dtype, op.y, uniform(-1, 1)}},
              .build =
                  [=](const Variables& in) {
                    const AddedToProduct added(op);
                    OpCall<Variable> call("fused_matmul");
                    call.input("x", in[0]).input("y", in[1]);
                    if (op.bias) call.input("bias", in[added.bias]);
                    if (op.residual) call.input("residual", in[added.residual]);
                    return call.attr("transpose_x", op.transpose_x)
                        .attr("transpose_y", op.transpose_y)
                        .attr("activation", op.activation)
                        .results();
                  },
              .reference = [=](const Arrays& in) { return std::vector{reference(op, in)}; }};
  if (op.bias) result.inputs.push_back({dtype, {out[out.rank() - 1]}, uniform(-1, 1)});
  if (op.residual) result.inputs.push_back({dtype, out, uniform(-1, 1)});
  return result;
}

}  // namespace

void add_fused_matmul_cases(Suite& suite) {
  const FusedMatmul cases[] = {
      {{2, 3}, {3, 4}, false, false, true},
      {{2, 3}, {3, 4}, false, false, false, true, "relu"},
      {{3, 2}, {4, 3}, true, true, true, true, "relu"},
      {{5}, {5, 3}, false, false, true, false, "tanh"},
      {{3, 5}, {5}, false, false, true, true, "relu"},
      {{2, 3, 4}, {4}, false, false, true, false, "none"},
      {{2, 3, 4}, {4, 5}, false, false, true, true, "gelu"},
      {{2, 3, 4}, {2, 4, 5}, false, false, true, true, "sigmoid"},
      {{0, 3}, {3, 4}, false, false, true, true, "relu"},
      {{2, 0}, {0, 3}, false, false, true, true, "gelu_tanh"},
      {{1, 300}, {300, 70}, false, false, true, false, "relu"},
      {{33, 65}, {65, 130}, false, false, true, true, "gelu"},
      {{33, 65}, {130, 65}, false, true, false, true, "gelu_tanh"},
      {{250, 40}, {40, 33}, false, false, true, false, "relu"},
      {{33, 65}, {65, 130}, false, false, true, false, "hard_swish"},
      {{2, 3, 4}, {4, 5}, false, false, true, true, "hard_sigmoid"},
      {{33, 65}, {65, 130}, false, false, true, false, "silu"},
      {{250, 40}, {40, 33}, false, false, true, true, "softplus"},
      {{250, 40}, {40, 33}, false, false, true, true, "none"},
      {{3, 65, 40}, {40, 70}, false, false, true, true, "sigmoid"},
      {{4, 65, 40}, {4, 40, 70}, false, false, true, false, "relu"},
      {{2, 3}, {3, 2100}, false, false, true, true, "relu"},
      // The rows of these are whole vectors of 16 bytes.
      {{33, 64}, {64, 136}, false, false, true, true, "gelu_tanh"},
      {{33, 64}, {64, 136}, false, false, true, false, "gelu"},
      {{33, 64}, {136, 64}, false, true, false, true, "relu"},
      {{3, 17, 64}, {3, 64, 72}, false, false, true, true, "none"},
  };
  for (const DType dtype : kFloatTypes) {
    for (const FusedMatmul& op : cases) suite.add(fused_case(dtype, op));
  }
  for (const std::string_view activation : sdk::kActivationNames) {
    const FusedMatmul op{{33, 72}, {72, 130}, false, false, true, true, std::string(activation)};
    suite.add(fused_case(kFloat32, op));
  }
}

}  // namespace loci::conformance
