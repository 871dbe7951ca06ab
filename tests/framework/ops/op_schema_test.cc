#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/ops/op_schema.h"

namespace loci::ops {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

OpSchema example() {
  OpSchema schema("example");
  schema.input("x", kFloats).input("y", kAllDTypes, Arity::kOptional).output("out");
  schema.attr("factor", 1.5)
      .attr("axis", std::int64_t{-1})
      .required_attr("shape", std::vector<std::int64_t>{});
  return schema;
}

TEST(OpSchemaTest, FindsSlotsAndAttributesByName) {
  const OpSchema schema = example();
  EXPECT_EQ(schema.input_index("y"), 1);
  EXPECT_EQ(schema.input_index("out"), -1);
  EXPECT_EQ(schema.output_index("out"), 0);
  ASSERT_NE(schema.find_attribute("shape"), nullptr);
  EXPECT_TRUE(schema.find_attribute("shape")->required);
  EXPECT_EQ(schema.find_attribute("size"), nullptr);
}

TEST(OpSchemaTest, CompletesAttributesWithDefaults) {
  const Attributes result = example().complete({{"shape", std::vector<std::int64_t>{2}}});
  EXPECT_EQ(result.size(), 3U);
  EXPECT_EQ(std::get<double>(result.at("factor")), 1.5);
  EXPECT_EQ(std::get<std::int64_t>(result.at("axis")), -1);
}

TEST(OpSchemaTest, TakesAnIntegerWhereADoubleIsAsked) {
  const Attributes result =
      example().complete({{"shape", std::vector<std::int64_t>{}}, {"factor", std::int64_t{3}}});
  EXPECT_EQ(std::get<double>(result.at("factor")), 3.0);
}

TEST(OpSchemaTest, RefusesAnUnknownAttribute) {
  EXPECT_THAT(
      [] {
        (void)example().complete({{"axes", std::int64_t{1}}});
      },
      ThrowsMessage<Error>(
          AllOf(HasSubstr("[example]"), HasSubstr("'axes'"), HasSubstr("did you mean 'axis'"))));
}

TEST(OpSchemaTest, RefusesAnAttributeOfAnotherKind) {
  EXPECT_THAT(
      [] {
        (void)example().complete({{"axis", 0.5}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("[example] attribute 'axis' is a float64, 0.5"),
                                 HasSubstr("give an int64"))));
}

TEST(OpSchemaTest, RefusesAMissingAttribute) {
  EXPECT_THAT([] { (void)example().complete({}); },
              ThrowsMessage<Error>(HasSubstr("attribute 'shape' is missing")));
}

TEST(OpSchemaTest, SaysThatThereAreNoAttributes) {
  EXPECT_THAT(
      [] {
        (void)OpSchema("bare").complete({{"axis", std::int64_t{1}}});
      },
      ThrowsMessage<Error>(HasSubstr("it has none at all")));
}

TEST(OpSchemaTest, AnOutputHasTheDTypeOfTheFirstInputUnlessItIsSaid) {
  OpSchema schema("typed");
  schema.input("x").input("y").output("out").output("mask").of_dtype(DTypeRule::always(kBool));
  EXPECT_EQ(schema.outputs()[0].dtype.to_string(), "as x");
  EXPECT_EQ(schema.outputs()[1].dtype.to_string(), "bool");
  schema.updates("y_out", "y").updates("ys_out", "y", Arity::kVariadic);
  EXPECT_EQ(schema.outputs()[2].dtype.to_string(), "as y");
  EXPECT_EQ(schema.outputs()[3].dtype.to_string(), "");
  EXPECT_EQ(OpSchema("made").output("out").outputs()[0].dtype.to_string(), "");
  EXPECT_EQ(OpSchema("if")
                .control(Control::kCase)
                .input("x")
                .output("out")
                .outputs()[0]
                .dtype.to_string(),
            "");
}

TEST(OpSchemaTest, SaysHowAccurateItIs) {
  EXPECT_EQ(OpSchema("op").accuracy(), "");
  EXPECT_EQ(OpSchema("op").accuracy("2 roundoffs of |out|").accuracy(), "2 roundoffs of |out|");
  EXPECT_EQ(OpSchema("op").exact().accuracy(), "exact");
  EXPECT_EQ(OpSchema("op").moves_elements().accuracy(), "exact");
}

TEST(OpSchemaTest, AnUpdateNamesAnInput) {
  EXPECT_THAT([] { OpSchema("step").input("x").updates("out", "param"); },
              ThrowsMessage<Error>(HasSubstr("updates 'param', which is no input slot")));
}

TEST(OpSchemaTest, ARandomOpHasStateAndOffset) {
  const OpSchema schema = OpSchema("noise").random();
  EXPECT_TRUE(schema.is_random());
  ASSERT_EQ(schema.input_index("state"), 0);
  EXPECT_TRUE(schema.inputs()[0].dtypes.contains(kUInt64));
  EXPECT_NE(schema.find_attribute("offset"), nullptr);
}

TEST(DTypeSetTest, PrintsNames) {
  EXPECT_EQ((DTypeSet{kInt32, kFloat32, kBool}.to_string()), "bool, int32, float32");
}

TEST(OpSchemaTest, RefusesAnAttributeBeyondItsLimits) {
  OpSchema schema("limited");
  schema.attr("share", 0.5).within(0.0, 1.0).attr("form", std::string("a")).one_of({"a", "b"});
  EXPECT_EQ(schema.complete({{"share", 1.0}, {"form", std::string("b")}}).size(), 2U);
  EXPECT_THAT(
      [&] {
        (void)schema.complete({{"share", std::int64_t{2}}});
      },
      ThrowsMessage<Error>("[limited] attribute 'share' is 2; give a number from 0 to 1"));
  EXPECT_THAT(
      [&] {
        (void)schema.complete({{"form", std::string("c")}});
      },
      ThrowsMessage<Error>("[limited] attribute 'form' is 'c'; give 'a' or 'b'"));
}

TEST(OpSchemaTest, SaysNothingOfRowsByItself) {
  const OpSchema silent("op");
  EXPECT_EQ(silent.batch_rule(), nullptr);
  EXPECT_FALSE(silent.moves_elements());
  const OpSchema op =
      OpSchema("op").batch_rule([](BatchContext&) { return true; }).moves_elements();
  EXPECT_NE(op.batch_rule(), nullptr);
  EXPECT_TRUE(op.moves_elements());
}

TEST(OpSchemaTest, OnlyWhatComputesHasADecomposition) {
  const auto none = [](DecomposeContext&) {};
  OpSchema plain("plain");
  EXPECT_TRUE(plain.input("x").output("out").only_computes());
  EXPECT_TRUE(plain.decompose(none).decompose_fn());
  OpSchema changing("changing");
  changing.input("x").updates("out", "x");
  EXPECT_FALSE(changing.only_computes());
  EXPECT_THAT([&] { changing.decompose(none); },
              ThrowsMessage<Error>(HasSubstr("[changing] has a decomposition, and it updates")));
  EXPECT_FALSE(OpSchema("told").host_output("out").only_computes());
  EXPECT_FALSE(OpSchema("drawn").random().output("out").only_computes());
  EXPECT_FALSE(OpSchema("bounded").bounded_output("out", "count").only_computes());
  EXPECT_FALSE(OpSchema("chosen").output("out").control(Control::kSelection).only_computes());
}

}  // namespace
}  // namespace loci::ops
