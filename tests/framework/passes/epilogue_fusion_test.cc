#include <cstring>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/operators.hpp>

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EpilogueFusionTest : public PassTest {
 protected:
  // With the types that the pass reads.
  void fuse(const std::vector<Variable>& fetches) {
    PassContext made = context(fetches);
    made.has_kernel = [this](std::string_view, DType dtype, const std::string& guard) {
      return dtype == kFloat32 && guard == where_;
    };
    run_pass("epilogue_fusion", block(), made);
  }

  const program::Operator& last() { return block().ops.back(); }
  std::string text(const char* name) { return std::get<std::string>(last().attributes.at(name)); }
  // The names of what the last operator reads from the slot.
  std::vector<std::string> read(const char* slot) {
    std::vector<std::string> names;
    const auto index = static_cast<std::size_t>(last().schema->input_index(slot));
    for (const program::VarId id : last().inputs[index]) names.push_back(block().var(id).name);
    return names;
  }

  Variable normalised(const Variable& x, bool is_test) {
    const Shape channels{block().var(x.id()).type.shape[1]};
    const auto parameter = [&](const char* name, double value) {
      return create_parameter(channels, kFloat32, initializer::constant(value), name);
    };
    BatchNormOptions options;
    options.is_test = is_test;
    return batch_norm(x, parameter("scale", 1), parameter("shift", 0), parameter("mean", 0),
                      parameter("variance", 1), options);
  }

  std::string where_;
};

TEST_F(EpilogueFusionTest, TakesBiasAndActivationIntoAProduct) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable w = data("w", {3, 4}, kFloat32);
  const Variable b = data("b", {4}, kFloat32);
  const Variable out = relu(mul(x, w) + b);
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_matmul"));
  EXPECT_THAT(read("bias"), ElementsAre("b"));
  EXPECT_THAT(read("residual"), IsEmpty());
  EXPECT_EQ(text("activation"), "relu");
  EXPECT_EQ(last().name, "mul_0+elementwise_add_0+relu_0");
  EXPECT_EQ(last().outputs[0][0], out.id());
}

TEST_F(EpilogueFusionTest, TakesASumWithATensorOfTheShape) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable w = data("w", {4, 3}, kFloat32);
  const Variable r = data("r", {2, 4}, kFloat32);
  const Variable out = gelu(r + matmul(x, w, false, true), true);
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_matmul"));
  EXPECT_THAT(read("residual"), ElementsAre("r"));
  EXPECT_TRUE(std::get<bool>(last().attributes.at("transpose_y")));
  EXPECT_EQ(text("activation"), "gelu_tanh");
}

TEST_F(EpilogueFusionTest, NothingComesBehindAnActivation) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable out = relu(tanh(matmul(x, x))) + x;
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_matmul", "relu", "elementwise_add"));
}

TEST_F(EpilogueFusionTest, LeavesWhatSomebodyElseReadsOrFetches) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable read_twice = matmul(x, x);
  const Variable first = relu(read_twice) + read_twice;
  const Variable fetched = matmul(x, first);
  const Variable second = relu(fetched);
  const Variable doubled = matmul(x, second);
  const Variable third = doubled + doubled;
  fuse({fetched, third});
  EXPECT_THAT(types(), ElementsAre("matmul", "relu", "elementwise_add", "matmul", "relu", "matmul",
                                   "elementwise_add"));
}

TEST_F(EpilogueFusionTest, LeavesWhatIsBroadcastOtherwise) {
  const Variable x = data("x", {4, 4}, kFloat32);
  const Variable column = data("column", {4, 1}, kFloat32);
  const Variable batch = data("batch", {3, 4, 4}, kFloat32);
  const Variable unknown = data("unknown", {-1, 4}, kFloat32);
  fuse({matmul(x, x) + column, matmul(x, x) + batch, matmul(unknown, x) + unknown});
  EXPECT_THAT(types(), ElementsAre("matmul", "elementwise_add", "matmul", "elementwise_add",
                                   "matmul", "elementwise_add"));
}

TEST_F(EpilogueFusionTest, LeavesProductsThatFlattenOtherwise) {
  const Variable x = data("x", {2, 3, 4}, kFloat32);
  const Variable w = data("w", {12, 5}, kFloat32);
  fuse({relu(mul(x, w, 1))});
  EXPECT_THAT(types(), ElementsAre("mul", "relu"));
}

TEST_F(EpilogueFusionTest, OnlyWhereThereAreKernels) {
  const Variable x = data("x", {2, 2}, kFloat64);
  const Variable y = data("y", {2, 2}, kFloat32);
  const Variable wide = relu(matmul(x, x));
  Variable elsewhere;
  {
    const DeviceGuard guard("sim:1");
    elsewhere = relu(matmul(y, y));
  }
  const Variable parted = relu(matmul(y, elsewhere));
  where_ = "sim:1";
  fuse({wide, parted});
  EXPECT_THAT(types(), ElementsAre("matmul", "relu", "fused_matmul", "matmul", "relu"));
  EXPECT_EQ(block().ops[2].guard, "sim:1");
}

TEST_F(EpilogueFusionTest, TwoPlacesAreNotFused) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable product = matmul(x, x);
  const DeviceGuard guard("sim:1");
  fuse({relu(product)});
  EXPECT_THAT(types(), ElementsAre("matmul", "relu"));
}

TEST_F(EpilogueFusionTest, TakesNormalisationByRunningStatistics) {
  const Variable x = data("x", {1, 2, 5, 5}, kFloat32);
  const Variable filter = data("filter", {3, 2, 3, 3}, kFloat32);
  const Variable other = data("other", {1, 3, 3, 3}, kFloat32);
  const Variable out = relu(other + normalised(conv2d(x, filter), /*is_test=*/true));
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_conv2d"));
  EXPECT_THAT(read("mean"), ElementsAre("mean"));
  EXPECT_THAT(read("shift"), ElementsAre("shift"));
  EXPECT_THAT(read("residual"), ElementsAre("other"));
  EXPECT_EQ(last().outputs.size(), 1U);
}

TEST_F(EpilogueFusionTest, LeavesNormalisationByTheBatch) {
  const Variable x = data("x", {1, 2, 5, 5}, kFloat32);
  const Variable filter = data("filter", {3, 2, 3, 3}, kFloat32);
  fuse({relu(normalised(conv2d(x, filter), /*is_test=*/false))});
  EXPECT_THAT(types(), ElementsAre("conv2d", "batch_norm", "relu"));
}

// The first of two products that a sum brings together takes it up; the other is its residual.
TEST_F(EpilogueFusionTest, ASumOfTwoProductsIsTakenOnce) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable out = relu(matmul(x, x) + tanh(matmul(x, x, true)));
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_matmul", "fused_matmul"));
  EXPECT_EQ(block().ops[0].outputs[0], block().ops[1].inputs[3]);
}

TEST_F(EpilogueFusionTest, AnOperandThatChangesInBetweenIsReadInTime) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable w = create_parameter({2, 2}, kFloat32, initializer::constant(1), "w");
  const Variable product = matmul(x, w);
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", x)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  fuse({relu(product)});
  EXPECT_THAT(types(), ElementsAre("matmul", "fill_constant", "sgd", "relu"));
}

// Plans have the pass by default on the CPU, not with bits kept, and give the same results.
TEST_F(EpilogueFusionTest, PlansComputeTheSame) {
  const Variable x = data("x", {3, 4}, kFloat32);
  const Variable w = create_parameter({4, 3}, kFloat32, initializer::uniform(-1, 1), "w");
  const Variable b = create_parameter({3}, kFloat32, initializer::uniform(-1, 1), "b");
  const Variable out = sigmoid(matmul(x, w) + b);
  const Scope scope;
  const Tensor image = Tensor::from<float>({1, -2, 3, 4, 5, 6, -7, 8, 9, 1, 2, 3}, {3, 4});
  std::vector<std::vector<float>> results;
  std::vector<std::size_t> counts;
  for (CompileOptions options : {CompileOptions(), CompileOptions::exact()}) {
    options.disabled_passes = {"elementwise_fusion"};
    Executor executor("cpu", options, scope);
    if (results.empty()) executor.run(startup_);
    results.push_back(executor.run(main_, {{"x", image}}, {out})[0].to_vector<float>());
    counts.push_back(inspect::plan(executor, main_, {{"x", image}}, {out}).operators.size());
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{1, 3}));
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_NEAR(results[0][i], results[1][i], 1e-6);
  }
}

}  // namespace
}  // namespace loci::passes
