// Chains of elementwise ops as one kernel.
#include <cmath>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using Integers = std::vector<std::int64_t>;

using CudaFusedElementwiseTest = OnTheDouble;

// Each step of the dtype of its operands.
Tensor fused(const std::vector<Tensor>& x, const std::vector<std::string>& ops,
             const Integers& operands, const std::vector<double>& constants) {
  const auto steps = static_cast<std::int64_t>(ops.size());
  return OpCall<Tensor>("fused_elementwise")
      .inputs_of("x", x)
      .attr("ops", ops)
      .attr("operands", operands)
      .attr("dtypes", Integers(ops.size(), static_cast<std::int64_t>(x.front().dtype())))
      .attr("constants", constants)
      .attr("results", Integers{static_cast<std::int64_t>(x.size()) + steps - 1})
      .result();
}

// Each step rounds halves too; views begin anywhere.
TEST_F(CudaFusedElementwiseTest, HaveTheBitsOfOneOpAfterTheOther) {
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    const Tensor all = cast(scale(counted<float>(70), 0.07, -2), dtype);
    const Tensor x = all.rows(1, 64).reshaped({9, 7});
    const Tensor y = all.rows(3, 10);
    const Tensor chain = fused({x, y}, {"elementwise_mul", "gelu", "scale", "sigmoid_grad"},
                               {2, 0, 1, 1, 2, 1, 3, 2, 4, 0}, {1, 0.3, 1.7});
    const Tensor single = OpCall<Tensor>("sigmoid_grad")
                              .input("out", scale(gelu(elementwise_mul(x, y), true), 0.3, 1.7))
                              .input("out_grad", x)
                              .result();
    EXPECT_EQ(cast(chain, kFloat64).to_vector<double>(), cast(single, kFloat64).to_vector<double>())
        << dtype_name(dtype);
  }
}

TEST_F(CudaFusedElementwiseTest, WrapNarrowIntegersAtEachStep) {
  const Tensor x = cast(counted<std::int32_t>(100), kInt8);
  const Tensor chain = fused({x}, {"elementwise_mul", "elementwise_add", "scale", "abs"},
                             {2, 0, 0, 2, 1, 0, 1, 2, 1, 3}, {2.5, 0});
  const Tensor single = abs(scale(elementwise_add(elementwise_mul(x, x), x), 2.5, 0));
  EXPECT_EQ(chain.to_vector<std::int8_t>(), single.to_vector<std::int8_t>());
}

// Sixteen inputs and five results wait for the last steps: more than the kernel has room for, so
// that single ops compute them.
TEST_F(CudaFusedElementwiseTest, LeaveMoreValuesAtOnceThanAThreadHoldsToSingleOps) {
  const std::vector<Tensor> x(16, counted<float>(4));
  std::vector<std::string> ops(5, "exp");
  Integers operands;
  for (std::int64_t i = 0; i < 5; ++i) operands.insert(operands.end(), {1, i});
  std::int64_t sum = 0;
  for (std::int64_t value = 1; value < 21; ++value) {
    ops.emplace_back("elementwise_add");
    operands.insert(operands.end(), {2, sum, value});
    sum = 20 + value;
  }
  const auto sums = fused(x, ops, operands, {}).to_vector<float>();
  for (int i = 0; i < 4; ++i) {
    const double element = i + 1;
    EXPECT_NEAR(sums[static_cast<std::size_t>(i)], 16 * element + 5 * std::exp(element), 1e-3);
  }
}

}  // namespace
}  // namespace loci::test
