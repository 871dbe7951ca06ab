#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/elementwise_functions.hpp>
#include <string>

#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

using ::testing::IsSupersetOf;

TEST(BuiltinOpsTest, HasAllOpsOfThePublicHeader) {
  EXPECT_THAT(op_registry().names(), IsSupersetOf({"fill_constant",
                                                   "uniform_random",
                                                   "gaussian_random",
                                                   "assign",
                                                   "cast",
                                                   "elementwise_add",
                                                   "elementwise_sub",
                                                   "elementwise_mul",
                                                   "elementwise_div",
                                                   "elementwise_max",
                                                   "elementwise_min",
                                                   "elementwise_pow",
                                                   "elementwise_mod",
                                                   "sum",
                                                   "scale",
                                                   "relu",
                                                   "sigmoid",
                                                   "tanh",
                                                   "gelu",
                                                   "hard_sigmoid",
                                                   "hard_swish",
                                                   "mish",
                                                   "erf",
                                                   "exp",
                                                   "log",
                                                   "sqrt",
                                                   "rsqrt",
                                                   "abs",
                                                   "square",
                                                   "sign",
                                                   "floor",
                                                   "ceil",
                                                   "round",
                                                   "clip",
                                                   "equal",
                                                   "not_equal",
                                                   "less_than",
                                                   "less_equal",
                                                   "greater_than",
                                                   "greater_equal",
                                                   "logical_and",
                                                   "logical_or",
                                                   "logical_xor",
                                                   "logical_not",
                                                   "where",
                                                   "matmul",
                                                   "mul",
                                                   "conv2d",
                                                   "pool2d",
                                                   "bilinear_interp",
                                                   "batch_norm",
                                                   "layer_norm",
                                                   "dropout",
                                                   "reshape",
                                                   "flatten",
                                                   "mean",
                                                   "reduce_sum",
                                                   "reduce_mean",
                                                   "reduce_max",
                                                   "reduce_min",
                                                   "reduce_prod",
                                                   "argmax",
                                                   "softmax",
                                                   "log_softmax",
                                                   "l2_normalize",
                                                   "square_error_cost",
                                                   "cross_entropy",
                                                   "softmax_with_cross_entropy",
                                                   "accuracy",
                                                   "sgd"}));
}

TEST(BuiltinOpsTest, HasTheFunctionsOfTheTable) {
#define LOCI_NAME(op, Function) #op,
  EXPECT_THAT(op_registry().names(),
              IsSupersetOf({LOCI_FLOAT_FUNCTIONS(LOCI_NAME) LOCI_NUMBER_FUNCTIONS(LOCI_NAME)}));
#undef LOCI_NAME
}

TEST(BuiltinOpsTest, EveryOpHasAnOutputAndACost) {
  for (const std::string& name : op_registry().names()) {
    EXPECT_FALSE(op_registry().get(name).outputs().empty()) << name;
    EXPECT_TRUE(op_registry().get(name).cost_fn()) << name;
  }
}

// A name must mean one slot or attribute, because calls go by name.
TEST(BuiltinOpsTest, NamesOfOneOpDiffer) {
  for (const std::string& name : op_registry().names()) {
    const OpSchema& schema = op_registry().get(name);
    for (std::size_t i = 0; i < schema.inputs().size(); ++i) {
      EXPECT_EQ(schema.input_index(schema.inputs()[i].name), static_cast<int>(i)) << name;
    }
    for (std::size_t i = 0; i < schema.outputs().size(); ++i) {
      EXPECT_EQ(schema.output_index(schema.outputs()[i].name), static_cast<int>(i)) << name;
    }
    for (const AttributeSpec& spec : schema.attributes()) {
      EXPECT_EQ(schema.find_attribute(spec.name), &spec) << name;
    }
  }
}

}  // namespace
}  // namespace loci::ops
