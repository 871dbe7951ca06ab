#include "framework/passes/uniform_number.h"

#include <cmath>
#include <loci/operators.hpp>

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

class UniformNumberTest : public PassTest {
 protected:
  std::optional<double> of(const Variable& made) {
    return uniform_number(block().ops.back(), made.dtype());
  }
};

TEST_F(UniformNumberTest, IsWhatAConstantIsFilledWith) {
  EXPECT_EQ(of(fill_constant({2, 3}, 0.5)), 0.5);
  EXPECT_EQ(of(fill_constant({}, 7, kInt64)), 7);
  const Variable x = data("x", {2}, kFloat32);
  EXPECT_EQ(of(full_like(x, -2)), -2);
}

TEST_F(UniformNumberTest, IsThatOfEqualElements) {
  EXPECT_EQ(of(assign_value({3.0F, 3.0F}, {2})), 3);
  EXPECT_EQ(of(assign_value({std::int64_t{4}}, {1})), 4);
  EXPECT_EQ(of(assign_value({3.0F, 2.0F}, {2})), std::nullopt);
  EXPECT_EQ(of(assign_value({0.0F, -0.0F}, {2})), std::nullopt);
}

TEST_F(UniformNumberTest, ZeroHasItsSign) {
  EXPECT_TRUE(std::signbit(*of(fill_constant({1}, -0.0))));
  EXPECT_FALSE(std::signbit(*of(fill_constant({1}, 0.0))));
}

TEST_F(UniformNumberTest, OthersHaveNone) {
  const Variable x = data("x", {2}, kFloat32);
  EXPECT_EQ(of(relu(x)), std::nullopt);
}

}  // namespace
}  // namespace loci::passes
