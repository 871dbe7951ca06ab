#include <fmt/format.h>

#include <ctime>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/operators.hpp>

#include "framework/ops/fused_expression.h"
#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;

class ElementwiseFusionTest : public PassTest {
 protected:
  // With the types that the pass reads.
  void fuse(const std::vector<Variable>& fetches) {
    PassContext made = context(fetches);
    made.has_kernel = [this](std::string_view type, DType, const std::string& guard) {
      return guard == where_ && type != lacked_;
    };
    run_pass("elementwise_fusion", block(), made);
  }

  const program::Operator& op(std::size_t i) { return block().ops[i]; }
  std::vector<std::string> names(const program::Slot& slot) {
    std::vector<std::string> result;
    for (const program::VarId id : slot) result.push_back(block().var(id).name);
    return result;
  }
  static std::vector<std::string> steps(const program::Operator& op) {
    return std::get<std::vector<std::string>>(op.attributes.at("ops"));
  }
  static std::vector<std::int64_t> operands(const program::Operator& op) {
    return std::get<std::vector<std::int64_t>>(op.attributes.at("operands"));
  }

  std::string where_;
  std::string lacked_;
};

TEST_F(ElementwiseFusionTest, AChainBecomesOneOperator) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable b = data("b", {3}, kFloat32);
  const Variable out = scale(gelu(x + b, true), 0.5, 2.0);
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise"));
  EXPECT_EQ(op(0).name, "elementwise_add_0+gelu_0+scale_0");
  EXPECT_THAT(names(op(0).inputs[0]), ElementsAre("x", "b"));
  EXPECT_THAT(op(0).outputs[0], ElementsAre(out.id()));
  EXPECT_THAT(steps(op(0)), ElementsAre("elementwise_add", "gelu", "scale"));
  EXPECT_THAT(operands(op(0)), ElementsAre(2, 0, 1, 1, 2, 1, 3));
  EXPECT_THAT(std::get<std::vector<double>>(op(0).attributes.at("constants")),
              ElementsAre(1, 0.5, 2));
}

TEST_F(ElementwiseFusionTest, CastsAndChoicesFit) {
  const Variable x = data("x", {5}, kFloat32);
  const Variable y = data("y", {5}, kFloat32);
  fuse({cast(where(less_than(x, y), x, y), kFloat16)});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise"));
  const auto dtypes = std::get<std::vector<std::int64_t>>(op(0).attributes.at("dtypes"));
  EXPECT_THAT(dtypes, ElementsAre(1, 12, 10));
}

TEST_F(ElementwiseFusionTest, WhatIsReadElsewhereBecomesAnotherOutput) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable fetched = relu(x);
  const Variable read = tanh(fetched);
  const Variable last = sigmoid(read);
  const Variable product = matmul(read, last);
  fuse({fetched, product});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "matmul"));
  EXPECT_THAT(op(0).outputs[0], ElementsAre(last.id(), read.id(), fetched.id()));
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(op(0).attributes.at("results")),
              ElementsAre(3, 2, 1));
}

TEST_F(ElementwiseFusionTest, BranchesThatMeetAreOneOperator) {
  const Variable x = data("x", {4}, kFloat32);
  const Variable y = data("y", {4}, kFloat32);
  fuse({relu(x) * sigmoid(y) + tanh(x)});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise"));
  EXPECT_THAT(names(op(0).inputs[0]), ElementsAre("x", "y"));
}

// The matrix product needs the first and is needed by the last.
TEST_F(ElementwiseFusionTest, NothingMovesPastAReader) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable first = tanh(relu(x));
  const Variable product = matmul(first, x);
  fuse({sigmoid(first) + product});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "matmul", "fused_elementwise"));
  EXPECT_THAT(steps(op(2)), ElementsAre("sigmoid", "elementwise_add"));
}

TEST_F(ElementwiseFusionTest, OneOperatorStaysAsItIs) {
  const Variable x = data("x", {2, 2}, kFloat32);
  fuse({matmul(relu(x), x)});
  EXPECT_THAT(types(), ElementsAre("relu", "matmul"));
}

TEST_F(ElementwiseFusionTest, AnotherShapeOrAnUnknownOneEndsAChain) {
  const Variable row = data("row", {1, 3}, kFloat32);
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable unknown = data("unknown", {-1, 3}, kFloat32);
  fuse({tanh(relu(row)) + x, tanh(relu(unknown))});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "elementwise_add", "relu", "tanh"));
}

TEST_F(ElementwiseFusionTest, TwoPlacesAreNotFused) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable first = relu(x);
  const DeviceGuard guard("sim:1");
  fuse({tanh(first)});
  EXPECT_THAT(types(), ElementsAre("relu", "tanh"));
}

TEST_F(ElementwiseFusionTest, OnlyWhereThereAreKernels) {
  const Variable x = data("x", {2, 2}, kFloat32);
  Variable elsewhere;
  {
    const DeviceGuard guard("sim:1");
    elsewhere = tanh(relu(x));
  }
  const Variable out = sqrt(exp(elsewhere));
  where_ = "sim:1";
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "exp", "sqrt"));
  EXPECT_EQ(op(0).guard, "sim:1");
}

// It runs somewhere else, or decomposed.
TEST_F(ElementwiseFusionTest, WhatThePlaceCannotComputeIsLeft) {
  const Variable x = data("x", {2, 2}, kFloat32);
  lacked_ = "exp";
  fuse({sqrt(square(exp(tanh(relu(x)))))});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "exp", "fused_elementwise"));
}

TEST_F(ElementwiseFusionTest, NowhereWithoutAKernelOfTheOp) {
  const Variable x = data("x", {2, 2}, kFloat32);
  lacked_ = "fused_elementwise";
  fuse({tanh(relu(x))});
  EXPECT_THAT(types(), ElementsAre("relu", "tanh"));
}

TEST_F(ElementwiseFusionTest, RandomOperatorsAreLeft) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable out = tanh(dropout(relu(x), 0.5));
  fuse({out});
  EXPECT_THAT(types(), ElementsAre("relu", "dropout", "tanh"));
}

TEST_F(ElementwiseFusionTest, StateThatChangesIsReadInTime) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable w = create_parameter({2, 2}, kFloat32, initializer::constant(1), "w");
  const Variable first = tanh(x + w);
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", x)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  fuse({relu(first * w)});
  EXPECT_THAT(types(),
              ElementsAre("fused_elementwise", "fill_constant", "sgd", "fused_elementwise"));
}

// Variables that the chain does not read may change.
TEST_F(ElementwiseFusionTest, OtherStateMayChange) {
  const Variable x = data("x", {2, 2}, kFloat32);
  const Variable w = create_parameter({2, 2}, kFloat32, initializer::constant(1), "w");
  const Variable first = tanh(x);
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", x)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  fuse({relu(first)});
  EXPECT_THAT(types(), ElementsAre("fill_constant", "sgd", "fused_elementwise"));
}

TEST_F(ElementwiseFusionTest, LongChainsAreCut) {
  Variable x = data("x", {2}, kFloat32);
  for (int i = 0; i < 70; ++i) x = relu(x);
  fuse({x});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "fused_elementwise", "fused_elementwise"));
  EXPECT_EQ(steps(op(0)).size(), sdk::kMostFusedSteps);
  EXPECT_EQ(steps(op(2)).size(), 70 - 2 * sdk::kMostFusedSteps);
}

TEST_F(ElementwiseFusionTest, ManyInputsAreCut) {
  Variable sum = data("x", {2}, kFloat32);
  for (int i = 0; i < 20; ++i) sum = sum + data(fmt::format("y{}", i), {2}, kFloat32);
  fuse({sum});
  EXPECT_THAT(types(), ElementsAre("fused_elementwise", "fused_elementwise"));
  EXPECT_EQ(op(0).inputs[0].size(), sdk::kMostFusedInputs);
}

TEST_F(ElementwiseFusionTest, GradientsAreChainsOfTheirOwn) {
  const Variable x = data("x", {3, 4}, kFloat32);
  const Variable w = create_parameter({4, 4}, kFloat32, initializer::constant(1), "w");
  const Variable hidden = tanh(relu(matmul(x, w)));
  const Variable loss = reduce_mean(square(hidden));
  fuse(gradients(loss, {w}));
  std::vector<std::vector<std::string>> chains;
  for (const program::Operator& fused : block().ops) {
    if (fused.type() == "fused_elementwise") chains.push_back(steps(fused));
  }
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_THAT(chains[0], ElementsAre("relu", "tanh", "square"));
  EXPECT_THAT(chains[1], ::testing::IsSupersetOf({"tanh_grad", "relu_grad"}));
}

// A chain with something else now and then. Of a program ten times as long the processor's time,
// which other work of the machine does not lengthen, is well below a hundred times as much.
TEST_F(ElementwiseFusionTest, TimeIsLinearInTheOperators) {
  const auto seconds = [](int operators) {
    Program main;
    Program startup;
    const ProgramGuard guard(main, startup);
    Variable x = data("x", {2, 2}, kFloat32);
    const Variable y = data("y", {2, 2}, kFloat32);
    for (int i = 0; i < operators; ++i) x = i % 7 == 6 ? matmul(x, y) : relu(x);
    program::Block& block = main.impl()->main();
    PassContext made;
    made.kept.resize(block.vars.size());
    made.kept[static_cast<std::size_t>(x.id())] = true;
    made.has_kernel = [](std::string_view, DType, const std::string&) { return true; };
    const std::clock_t begin = std::clock();
    run_pass("elementwise_fusion", block, made);
    const std::clock_t end = std::clock();
    EXPECT_LT(block.ops.size(), static_cast<std::size_t>(operators) / 3);
    return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
  };
  const double few = std::min(seconds(10'000), seconds(10'000));
  const double many = std::min(seconds(100'000), seconds(100'000));
  EXPECT_LT(many, 40 * few + 0.05);
}

// Plans have the pass by default on the CPU, and not where it is switched off.
TEST_F(ElementwiseFusionTest, PlansHaveItAndNameWhatWasFused) {
  const Variable x = data("x", {3, 4}, kFloat32);
  const Variable out = sigmoid(x * 2.0F) + x;
  const Tensor input = Tensor::from<float>({1, -2, 3, 4, 5, 6, -7, 8, 9, 1, 2, 3}, {3, 4});
  CompileOptions without;
  without.disabled_passes = {"elementwise_fusion"};
  std::vector<std::vector<std::string>> operators;
  std::vector<std::vector<float>> results;
  for (const CompileOptions& options : {CompileOptions(), CompileOptions::exact(), without}) {
    Executor executor("cpu", options);
    results.push_back(executor.run(main_, {{"x", input}}, {out})[0].to_vector<float>());
    operators.emplace_back();
    for (const auto& op : inspect::plan(executor, main_, {{"x", input}}, {out}).operators) {
      operators.back().push_back(op.name);
    }
  }
  EXPECT_THAT(operators[0], ElementsAre("scale_0+sigmoid_0+elementwise_add_0"));
  EXPECT_EQ(operators[1], operators[0]);
  EXPECT_EQ(operators[2].size(), 3U);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

}  // namespace
}  // namespace loci::passes
