#include "framework/ops/plugin_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <string>

#include "tests/support/op_tables.h"

namespace loci::ops {
namespace {

using test_support::NamedPlugin;
using test_support::OpTable;
using test_support::output_slot;
using test_support::real_attr;
using test_support::slot;
using test_support::text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PluginOpTest : public ::testing::Test {
 protected:
  OpSchema schema() {
    library_.ops = {plugin::take_op_definition(table_.complete())};
    return plugin_op(library_, library_.ops[0]);
  }

  NamedPlugin plugin_;
  OpTable table_;
  plugin::OpLibrary library_{&plugin_, {}};
};

TEST_F(PluginOpTest, TheSchemaSaysWhatTheDefinitionSays) {
  table_.inputs = {slot("x", LOCI_ARITY_REQUIRED,
                        LOCI_DTYPE_BIT(LOCI_DTYPE_F32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I8)),
                   slot("size", LOCI_ARITY_OPTIONAL), slot("more", LOCI_ARITY_VARIADIC),
                   slot("like")};
  table_.inputs[1].residence = LOCI_RESIDENCE_HOST;
  table_.inputs[3].residence = LOCI_RESIDENCE_METADATA;
  table_.outputs = {output_slot("out"), output_slot("count"), output_slot("parts"),
                    output_slot("state")};
  table_.outputs[1].residence = LOCI_RESIDENCE_HOST;
  table_.outputs[2].arity = LOCI_ARITY_VARIADIC;
  table_.outputs[3].updates = text("x");
  table_.def.version = 4;
  table_.def.not_capturable = text("it waits");
  const OpSchema op = schema();
  EXPECT_EQ(op.name(), "test.op");
  EXPECT_EQ(op.version(), 4);
  EXPECT_EQ(op.plugin(), "org.loci.test.named");
  EXPECT_EQ(op.capture_refusal(), "it waits");
  ASSERT_EQ(op.inputs().size(), 4u);
  EXPECT_EQ(op.inputs()[0].dtypes.to_string(), "int8, float32");
  EXPECT_EQ(op.inputs()[1].arity, Arity::kOptional);
  EXPECT_EQ(op.inputs()[1].residence, Residence::kHost);
  EXPECT_EQ(op.inputs()[2].arity, Arity::kVariadic);
  EXPECT_EQ(op.inputs()[3].residence, Residence::kMetadata);
  ASSERT_EQ(op.outputs().size(), 4u);
  EXPECT_EQ(op.outputs()[1].residence, Residence::kHost);
  EXPECT_EQ(op.outputs()[2].arity, Arity::kVariadic);
  EXPECT_EQ(op.outputs()[3].updates, "x");
  EXPECT_TRUE(op.gradient_fn());
}

TEST_F(PluginOpTest, AttributesHaveTheirDefaultsOrAreRequired) {
  table_.attrs.push_back(real_attr("needed", 0.0));
  table_.attrs[1].flags = LOCI_ATTR_DEF_REQUIRED;
  const OpSchema op = schema();
  EXPECT_EQ(op.complete({{"needed", 2.0}}), (Attributes{{"alpha", 1.0}, {"needed", 2.0}}));
  EXPECT_THAT([&] { (void)op.complete({}); },
              ThrowsMessage<Error>(HasSubstr("[test.op] attribute 'needed' is missing")));
}

TEST_F(PluginOpTest, WithoutAGradientThereIsNone) {
  table_.def.gradient = nullptr;
  EXPECT_FALSE(schema().gradient_fn());
}

TEST(PluginOpsTest, NoPluginBringsNoOps) {
  plugin::PluginManager manager{std::string()};
  OpRegistry registry;
  add_plugin_ops(registry, manager);
  EXPECT_THAT(registry.names(), ElementsAre());
}

}  // namespace
}  // namespace loci::ops
