#include "framework/core/abi/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::core {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Attributes kEveryKind{{"a", true},
                            {"b", std::int64_t{-3}},
                            {"c", 0.5},
                            {"d", std::string("text")},
                            {"e", kInt64},
                            {"f", std::vector<std::int64_t>{1, 2}},
                            {"g", std::vector<double>{0.25}},
                            {"h", std::vector<std::string>{"x", ""}},
                            {"i", std::vector<std::int64_t>{}}};

TEST(AbiAttributesTest, EveryKindComesBackAsItWas) {
  const AbiAttributes attributes(kEveryKind);
  ASSERT_EQ(attributes.size(), kEveryKind.size());
  std::size_t next = 0;
  for (const auto& [name, value] : kEveryKind) {
    const loci_attr& attr = attributes.data()[next++];
    EXPECT_EQ(std::string(attr.name.data, attr.name.size), name);
    EXPECT_EQ(attr.kind, value.index());
    EXPECT_EQ(attribute_from_abi(attr), value) << name;
  }
}

TEST(AbiAttributesTest, ItOwnsWhatItPointsTo) {
  auto source = std::make_unique<Attributes>(kEveryKind);
  const AbiAttributes attributes(*source);
  source.reset();
  EXPECT_EQ(attribute_from_abi(attributes.data()[7]), Attribute(std::vector<std::string>{"x", ""}));
}

TEST(AbiAttributesTest, ItPointsToWhatItDoesNotOwn) {
  const AbiAttributes attributes(kEveryKind, AbiAttributes::Holds::kReferences);
  EXPECT_EQ(&attributes.source(), &kEveryKind);
  std::size_t next = 0;
  for (const auto& [name, value] : kEveryKind) {
    const loci_attr& attr = attributes.data()[next++];
    EXPECT_EQ(attr.name.data, name.data());
    EXPECT_EQ(attribute_from_abi(attr), value) << name;
  }
}

// Each list of strings has memory of its own, which those after it do not move.
TEST(AbiAttributesTest, ManyListsOfStrings) {
  Attributes lists;
  for (int i = 0; i < 20; ++i) {
    lists.emplace("list" + std::to_string(i),
                  std::vector<std::string>{std::to_string(i), std::string(40, 'a')});
  }
  const AbiAttributes attributes(lists);
  std::size_t next = 0;
  for (const auto& [name, value] : lists) {
    EXPECT_EQ(attribute_from_abi(attributes.data()[next++]), value) << name;
  }
}

auto refused_as(const std::string& reason) { return ThrowsMessage<Error>(HasSubstr(reason)); }

TEST(AbiAttributesTest, RefusesWhatIsNoValue) {
  loci_attr attr{};
  const auto read = [&] { (void)attribute_from_abi(attr); };
  attr.kind = 9;
  EXPECT_THAT(read, refused_as("is of the kind 9, which there is not"));
  attr.kind = LOCI_ATTR_BOOL;
  attr.integer = 2;
  EXPECT_THAT(read, refused_as("is a bool of the value 2; give 0 or 1"));
  attr.kind = LOCI_ATTR_DTYPE;
  for (const std::int64_t code : {-1, 14, 99}) {
    attr.integer = code;
    EXPECT_THAT(read, refused_as("is a dtype of the code"));
  }
  attr.kind = LOCI_ATTR_STRING;
  attr.text = {nullptr, 4};
  EXPECT_THAT(read, refused_as("is a string of 4 bytes at NULL"));
  attr.kind = LOCI_ATTR_FLOATS;
  attr.item_count = 3;
  EXPECT_THAT(read, refused_as("is a list of 3 items at NULL"));
  const std::int64_t one = 1;
  attr.kind = LOCI_ATTR_INTS;
  attr.items = &one;
  attr.item_count = UINT64_MAX;
  EXPECT_THAT(read, refused_as("is a list of 18446744073709551615 items"));
  const loci_str bad{nullptr, 1};
  attr.kind = LOCI_ATTR_STRINGS;
  attr.items = &bad;
  attr.item_count = 1;
  EXPECT_THAT(read, refused_as("is a string of 1 bytes at NULL"));
}

}  // namespace
}  // namespace loci::core
