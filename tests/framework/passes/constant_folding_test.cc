#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

using ConstantFoldingTest = PassTest;

const std::vector<double>& values_of(const program::Operator& op) {
  return std::get<std::vector<double>>(op.attributes.at("values"));
}

TEST_F(ConstantFoldingTest, ComputesWhatDependsOnConstantsOnly) {
  const Variable x = fill_constant({2}, 1.5);
  const Variable sum = elementwise_add(x, assign_value({1.0, 2.0}, {2}));
  run_pass("constant_folding", block(), context({sum}));
  EXPECT_THAT(types(), ElementsAre("fill_constant", "assign_value", "assign_value"));
  EXPECT_THAT(values_of(block().ops.back()), ElementsAre(2.5, 3.5));
  EXPECT_EQ(block().ops.back().outputs[0][0], sum.id());
  EXPECT_NO_THROW(main_.verify());
}

// The program of the device switching tutorial.
TEST_F(ConstantFoldingTest, ShapesBecomeAttributes) {
  const Variable first = fill_constant({1, 3, 64, 64}, 0.5);
  const Variable second = fill_constant({1, 3, 50, 50}, 0.5);
  const Variable extents = slice(shape(second), Integers{0}, Integers{0}, Integers{4});
  const Variable out = crop_tensor(first, extents);
  EXPECT_EQ(out.shape(), (Shape{-1, -1, -1, -1}));
  run_pass("constant_folding", block(), context({out}));
  run_pass("dead_code_elimination", block(), context({out}));
  EXPECT_THAT(types(), ElementsAre("fill_constant", "crop_tensor"));
  const program::Operator& crop = block().ops.back();
  EXPECT_EQ(std::get<Integers>(crop.attributes.at("shape")), (Integers{1, 3, 50, 50}));
  EXPECT_EQ(out.shape(), (Shape{1, 3, 50, 50}));
}

TEST_F(ConstantFoldingTest, AnUnknownExtentIsNoConstant) {
  const Variable extents = shape(data("x", {-1, 3}, kFloat32));
  run_pass("constant_folding", block(), context({extents}));
  EXPECT_THAT(types(), ElementsAre("shape"));
}

TEST_F(ConstantFoldingTest, TheShapeOfAHugeValueNeedsNoneOfIt) {
  const Variable extents = shape(data("x", {1L << 30, 1L << 10}, kFloat32));
  run_pass("constant_folding", block(), context({extents}));
  EXPECT_THAT(types(), ElementsAre("assign_value"));
  EXPECT_EQ(std::get<Integers>(block().ops[0].attributes.at("integers")),
            (Integers{1L << 30, 1L << 10}));
}

TEST_F(ConstantFoldingTest, LargeResultsStayWhereTheyAre) {
  const Variable big = scale(fill_constant({4096}, 1.0), 2.0);
  run_pass("constant_folding", block(), context({big}));
  EXPECT_THAT(types(), ElementsAre("fill_constant", "scale"));
}

TEST_F(ConstantFoldingTest, RandomNumbersAndStateAreNoConstants) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Variable x = relu(w);
  const Variable sum = elementwise_add(x, uniform_random({2}));
  run_pass("constant_folding", block(), context({sum}));
  EXPECT_THAT(types(), ElementsAre("relu", "uniform_random", "elementwise_add"));
}

TEST_F(ConstantFoldingTest, FloatsElsewhereKeepTheirBits) {
  const Variable product = scale(fill_constant({2}, 1.5), 3.0);
  const Variable one = fill_constant({2}, 1, kInt32);
  const Variable whole = elementwise_add(one, fill_constant({2}, 2, kInt32));
  run_pass("constant_folding", block(), context({product, whole}, Place("sim:0")));
  EXPECT_THAT(types(), ElementsAre("fill_constant", "scale", "fill_constant", "fill_constant",
                                   "assign_value"));
}

TEST_F(ConstantFoldingTest, AnErrorIsLeftToTheRun) {
  const Variable index = assign_value(Integers{7}, {1});
  const Variable out = gather(fill_constant({3}, 1.0), index);
  run_pass("constant_folding", block(), context({out}));
  EXPECT_THAT(types(), ElementsAre("assign_value", "fill_constant", "gather"));
}

TEST_F(ConstantFoldingTest, NotANumberIsLeftToTheRun) {
  const Variable zero = fill_constant({1}, 0.0);
  const Variable out = elementwise_div(zero, zero);
  run_pass("constant_folding", block(), context({out}));
  EXPECT_THAT(types(), ElementsAre("fill_constant", "elementwise_div"));
}

TEST_F(ConstantFoldingTest, EveryOutputBecomesAConstant) {
  const std::vector<Variable> parts = split(assign_value({1.0, 2.0, 3.0}, {3}), Integers{1, 2}, 0);
  run_pass("constant_folding", block(), context({parts[0], parts[1]}));
  EXPECT_THAT(types(), ElementsAre("assign_value", "assign_value", "assign_value"));
  EXPECT_THAT(values_of(block().ops[2]), ElementsAre(2.0, 3.0));
  EXPECT_NO_THROW(main_.verify());
}

}  // namespace
}  // namespace loci::passes
