#include "framework/program/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

namespace loci::program {
namespace {

using ::testing::HasSubstr;

TEST(DotTest, DrawsOperatorsVariablesAndValues) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable x = data("in \"x\"", {-1, 3}, kFloat32);
  const Variable w = create_parameter({3, 2}, kFloat32, initializer::constant(0), "w");
  const Variable y = relu(matmul(x, w));
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  sgd(w, w, rate);
  const std::string dot = to_dot(*main.prune({x}, {y, w}).impl());
  EXPECT_THAT(dot, HasSubstr("digraph program {"));
  EXPECT_THAT(dot, HasSubstr("var_0 [shape=ellipse, fillcolor=\"#f5f5f5\", "
                             "label=\"in \\\"x\\\"\\nfloat32[-1, 3]\"]"));
  EXPECT_THAT(dot, HasSubstr("var_1 [shape=cylinder"));
  EXPECT_THAT(dot,
              HasSubstr("op_0 [shape=box, fillcolor=\"#e3f2fd\", label=\"matmul\\nmatmul_0\"]"));
  EXPECT_THAT(dot, HasSubstr("var_1 -> op_0;"));
  EXPECT_THAT(dot, HasSubstr("op_0 -> op_1 [label=\"matmul_0.out\\nfloat32[-1, 2]\"]"));
  EXPECT_THAT(dot, HasSubstr("op_1 -> result_0"));
  EXPECT_THAT(dot, HasSubstr("op_2 -> var_1 [style=dashed]"));
}

TEST(DotTest, ControlsInNamesAreSeen) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable x = data("a\u202eb", {1}, kFloat32);
  EXPECT_THAT(to_dot(*main.prune({x}, {relu(x)}).impl()), HasSubstr(R"(label="a\\u202eb\n)"));
}

TEST(DotTest, BlocksAreClusters) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  cond(
      on, [&] { return relu(x); }, [&] { return x; });
  const std::string dot = to_dot(*main.impl());
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_op_0_block_0_ {\n  label=\"case_0 block 0\";"));
  EXPECT_THAT(dot, HasSubstr("op_0_block_0_var_0 -> op_0_block_0_op_0;"));
  EXPECT_THAT(dot, HasSubstr("op_0_block_1_var_0 -> op_0_block_1_result_0;"));
}

}  // namespace
}  // namespace loci::program
