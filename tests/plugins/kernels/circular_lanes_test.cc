#include "plugins/kernels/circular_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "plugins/kernels/elementwise_functions.h"

namespace loci::kernels {
namespace {

// The elements beside a far one must not show that it is there.
TEST(CircularLanesTest, BlocksHaveTheBitsOfTheirElements) {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.37F * static_cast<float>(i) - 100;
  x[300] = 3e30F;
  x[301] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(x.size());
  ASSERT_EQ(circular_lanes<Sin>(out.data(), x.data(), 1000), 1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(Sin::value(x[i])))
        << x[i];
  }
}

TEST(CircularLanesTest, TheResultMayTakeThePlaceOfTheArgument) {
  std::vector<float> x = {0.5F, -2, 1e20F};
  circular_lanes<Cos>(x.data(), x.data(), 3);
  EXPECT_EQ(x, (std::vector<float>{Cos::value(0.5F), Cos::value(-2.0F), Cos::value(1e20F)}));
}

}  // namespace
}  // namespace loci::kernels
