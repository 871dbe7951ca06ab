#include "framework/program/printer.h"

#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

namespace loci::program {
namespace {

TEST(PrinterTest, PrintsOneOperatorALine) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable x = data("x", {-1, 1, 8, 8}, kFloat32);
  Variable y;
  {
    const DeviceGuard device("cpu");
    const Variable w = create_parameter({2, 1, 3, 3}, kFloat32, initializer::constant(0), "w");
    y = conv2d(x, w);
  }
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  sgd(main.find("w"), main.find("w"), rate);
  EXPECT_EQ(main.prune({x}, {y}).to_string(),
            "data %x float32[-1, 1, 8, 8]\n"
            "parameter %w float32[2, 1, 3, 3] @cpu\n"
            "%conv2d_0.out float32[-1, 2, 6, 6] = conv2d(x=%x, filter=%w, bias=none) "
            "{dilations=[1, 1], groups=1, padding_algorithm=\"EXPLICIT\", paddings=[0, 0], "
            "strides=[1, 1]} @cpu\n"
            "return %conv2d_0.out\n");
  main.impl()->main().ops[1].role = Role::kUpdate;
  main.impl()->main().ops[1].scope = "outer";
  const std::string text = main.to_string();
  EXPECT_NE(text.find("persistable %rate float32[]\n"), std::string::npos);
  EXPECT_NE(
      text.find("%w = sgd(param=%w, grad=%w, learning_rate=%rate, rows=none) [update] in outer\n"),
      std::string::npos)
      << text;
}

TEST(PrinterTest, PrintsBlocksIndented) {
  const Program main;
  const ProgramGuard guard(main);
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  cond(
      on, [&] { return relu(x); }, [&] { return fill_constant({1}, 3, kInt64); });
  EXPECT_EQ(main.to_string(),
            "data %on bool[1]\n"
            "data %x float32[2]\n"
            "%case_0.outs unknown = case(preds=%on, captures=%x)\n"
            "  block 0 (%x float32[2]):\n"
            "    %relu_0.out float32[2] = relu(x=%x)\n"
            "    return %relu_0.out\n"
            "  block 1 (%x@unused0 float32[2]):\n"
            "    %fill_constant_0.out int64[1] = fill_constant(shape_tensor=none, "
            "value_tensor=none) {dtype=int64, shape=[1], value=3}\n"
            "    return %fill_constant_0.out\n");
}

}  // namespace
}  // namespace loci::program
