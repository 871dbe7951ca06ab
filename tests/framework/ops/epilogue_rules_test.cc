#include "framework/ops/epilogue_rules.h"

#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

TEST(EpilogueRulesTest, NamesActivationsByTheirOps) {
  EXPECT_EQ(activation_name("relu", {}), "relu");
  EXPECT_EQ(activation_name("sigmoid", {}), "sigmoid");
  EXPECT_EQ(activation_name("tanh", {}), "tanh");
  EXPECT_EQ(activation_name("gelu", {{"approximate", false}}), "gelu");
  EXPECT_EQ(activation_name("gelu", {{"approximate", true}}), "gelu_tanh");
  EXPECT_EQ(activation_name("hard_sigmoid", {}), "hard_sigmoid");
  EXPECT_EQ(activation_name("hard_swish", {}), "hard_swish");
  EXPECT_EQ(activation_name("exp", {}), "");
}

// What a pass writes is what fused ops take.
TEST(EpilogueRulesTest, FusedOpsTakeAllOfThem) {
  for (const char* op : {"fused_matmul", "fused_conv2d"}) {
    const AttributeSpec* spec = op_registry().get(op).find_attribute("activation");
    ASSERT_NE(spec, nullptr);
    EXPECT_EQ(std::get<std::string>(spec->default_value), "none");
    EXPECT_EQ(spec->choices.size(), 8U);
  }
}

}  // namespace
}  // namespace loci::ops
