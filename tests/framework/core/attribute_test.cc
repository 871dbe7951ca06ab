#include <gtest/gtest.h>

#include <loci/attribute.hpp>

namespace loci {
namespace {

TEST(AttributeTest, PrintsScalars) {
  EXPECT_EQ(to_string(Attribute(true)), "true");
  EXPECT_EQ(to_string(Attribute(false)), "false");
  EXPECT_EQ(to_string(Attribute(std::int64_t{-7})), "-7");
  EXPECT_EQ(to_string(Attribute(0.5)), "0.5");
  EXPECT_EQ(to_string(Attribute(std::string("same"))), "\"same\"");
  EXPECT_EQ(to_string(Attribute(kFloat32)), "float32");
}

TEST(AttributeTest, PrintsDoublesSoThatTheyReadBackTheSame) {
  const double third = 1.0 / 3.0;
  EXPECT_EQ(std::stod(to_string(Attribute(third))), third);
}

TEST(AttributeTest, PrintsLists) {
  EXPECT_EQ(to_string(Attribute(std::vector<std::int64_t>{1, 2})), "[1, 2]");
  EXPECT_EQ(to_string(Attribute(std::vector<std::int64_t>{})), "[]");
  EXPECT_EQ(to_string(Attribute(std::vector<double>{0.5, -2.25})), "[0.5, -2.25]");
  EXPECT_EQ(to_string(Attribute(std::vector<std::string>{"a", "b"})), "[\"a\", \"b\"]");
}

}  // namespace
}  // namespace loci
