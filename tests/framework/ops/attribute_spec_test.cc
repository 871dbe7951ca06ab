#include "framework/ops/attribute_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/ops.h>

#include <cmath>
#include <limits>
#include <loci/error.hpp>

#include "framework/core/abi/error.h"

namespace loci::ops {
namespace {

using core::to_abi;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

loci_attr_def definition(std::uint32_t kind) {
  loci_attr_def def{};
  def.struct_size = sizeof def;
  def.kind = def.default_value.kind = kind;
  return def;
}

loci_attr_def limited(std::uint32_t kind) {
  loci_attr_def def = definition(kind);
  def.flags = LOCI_ATTR_DEF_LIMITED;
  def.integer_minimum = -2;
  def.integer_maximum = 5;
  def.real_minimum = 0.5;
  def.real_maximum = 1.5;
  return def;
}

void expect_refused(const loci_attr_def& def, const std::string& reason) {
  EXPECT_THAT([&] { (void)take_attribute_spec(def); }, ThrowsMessage<Error>(HasSubstr(reason)));
}

TEST(AttributeSpecTest, LimitsHoldForNumbersAndItems) {
  const AttributeSpec integer = take_attribute_spec(limited(LOCI_ATTR_INT));
  EXPECT_EQ(integer.refusal(std::int64_t{-2}), "");
  EXPECT_EQ(integer.refusal(std::int64_t{5}), "");
  EXPECT_EQ(integer.refusal(std::int64_t{6}), "is 6; give a number from -2 to 5");
  const AttributeSpec list = take_attribute_spec(limited(LOCI_ATTR_INTS));
  EXPECT_EQ(list.refusal(std::vector<std::int64_t>{0, -3}),
            "has an item that is -3; give a number from -2 to 5");
  loci_attr_def def = limited(LOCI_ATTR_FLOAT);
  def.default_value.real = 1.0;
  const AttributeSpec real = take_attribute_spec(def);
  EXPECT_EQ(real.refusal(0.5), "");
  EXPECT_EQ(real.refusal(0.0), "is 0; give a number from 0.5 to 1.5");
  EXPECT_THAT(real.refusal(std::nan("")), HasSubstr("nan; give a number"));
  EXPECT_NE(take_attribute_spec(limited(LOCI_ATTR_FLOATS)).refusal(std::vector<double>{2.0}), "");
}

TEST(AttributeSpecTest, ASideMayHaveNoLimit) {
  loci_attr_def def = limited(LOCI_ATTR_INT);
  def.integer_minimum = 0;
  def.integer_maximum = INT64_MAX;
  EXPECT_EQ(take_attribute_spec(def).refusal(std::int64_t{-1}), "is -1; give a number from 0");
  def.integer_minimum = INT64_MIN;
  def.integer_maximum = 0;
  EXPECT_EQ(take_attribute_spec(def).refusal(std::int64_t{1}), "is 1; give a number up to 0");
}

TEST(AttributeSpecTest, ChoicesHoldForTexts) {
  const loci_str choices[] = {to_abi("same"), to_abi("valid")};
  loci_attr_def def = definition(LOCI_ATTR_STRING);
  def.choices = choices;
  def.choice_count = 2;
  def.default_value.text = choices[0];
  const AttributeSpec spec = take_attribute_spec(def);
  EXPECT_EQ(spec.refusal(std::string("valid")), "");
  EXPECT_EQ(spec.refusal(std::string("full")), "is 'full'; give 'same' or 'valid'");
  def.default_value.text = to_abi("none");
  expect_refused(def, "has a default that it does not allow: it is 'none'; give 'same' or 'valid'");
}

TEST(AttributeSpecTest, WithoutLimitsAnythingIsAllowed) {
  const AttributeSpec spec = take_attribute_spec(definition(LOCI_ATTR_FLOAT));
  EXPECT_EQ(spec.refusal(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(spec.default_value, Attribute(0.0));
  EXPECT_EQ(take_attribute_spec(definition(LOCI_ATTR_BOOL)).refusal(true), "");
}

TEST(AttributeSpecTest, ARequiredOneHasNoDefault) {
  loci_attr_def def = limited(LOCI_ATTR_FLOAT);  // 0 is beyond the limits
  def.flags |= LOCI_ATTR_DEF_REQUIRED;
  def.default_value.kind = 77;
  const AttributeSpec spec = take_attribute_spec(def);
  EXPECT_TRUE(spec.required);
  EXPECT_EQ(spec.default_value, Attribute(0.0));
}

TEST(AttributeSpecTest, RefusesADefaultOfAnotherKindOrBeyondTheLimits) {
  loci_attr_def def = definition(LOCI_ATTR_INT);
  def.default_value.kind = LOCI_ATTR_FLOAT;
  expect_refused(def, "is of the kind 1 and its default of the kind 2");
  def = definition(42);
  expect_refused(def, "has a default that is of the kind 42, which there is not");
  def = limited(LOCI_ATTR_INT);
  def.default_value.integer = 6;
  expect_refused(def, "has a default that it does not allow: it is 6");
  def = definition(LOCI_ATTR_STRING);
  def.default_value.text = {nullptr, 3};
  expect_refused(def, "has a default that is a string of 3 bytes at NULL");
}

TEST(AttributeSpecTest, RefusesRulesThatMakeNoSense) {
  expect_refused(limited(LOCI_ATTR_STRING), "has limits and is no number");
  expect_refused(limited(LOCI_ATTR_BOOL), "has limits and is no number");
  loci_attr_def def = limited(LOCI_ATTR_INT);
  def.integer_minimum = 9;
  expect_refused(def, "has limits that no number is within");
  def = limited(LOCI_ATTR_FLOAT);
  def.real_minimum = std::nan("");
  expect_refused(def, "has limits that no number is within");
  def = definition(LOCI_ATTR_INT);
  const loci_str choice = to_abi("a");
  def.choices = &choice;
  def.choice_count = 1;
  expect_refused(def, "has choices and is no string");
  def.choices = nullptr;
  expect_refused(def, "has choices that are wrong: it is a list of 1 items at NULL");
  def = definition(LOCI_ATTR_INT);
  def.flags = 8;
  expect_refused(def, "has the unknown flags 0x8");
}

}  // namespace
}  // namespace loci::ops
