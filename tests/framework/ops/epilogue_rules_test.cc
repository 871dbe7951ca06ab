#include "framework/ops/epilogue_rules.h"

#include <gtest/gtest.h>

#include <loci/plugin/elementwise_functions.hpp>
#include <string>
#include <vector>

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

// A pass writes names that fused ops take.
TEST(EpilogueRulesTest, FusedOpsTakeAllOfThem) {
#define LOCI_NAME(op, Function) , #op
  const std::vector<std::string> all = {"none" LOCI_ACTIVATIONS(LOCI_NAME)};
#undef LOCI_NAME
  for (const char* op : {"fused_matmul", "fused_conv2d"}) {
    const AttributeSpec* spec = op_registry().get(op).find_attribute("activation");
    ASSERT_NE(spec, nullptr);
    EXPECT_EQ(std::get<std::string>(spec->default_value), "none");
    EXPECT_EQ(spec->choices, all);
    for (const std::string& name : all) {
      if (name != "none" && name != "gelu_tanh" && name != "gelu") {
        EXPECT_EQ(activation_name(name, {}), name);
      }
    }
  }
}

}  // namespace
}  // namespace loci::ops
