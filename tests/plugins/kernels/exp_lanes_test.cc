#include "plugins/kernels/exp_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "plugins/kernels/simd_math.h"
#include "tests/plugins/kernels/each_isa.h"

namespace loci::kernels {
namespace {

using simd::from_bits;
using simd::to_bits;

// Returns every 997th float, and those at which something changes.
std::vector<float> arguments() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0F, -0.0F, kInfinity, -kInfinity, 88.72284F, 88.7229F, -103.97F};
  for (float x = -104.5F; x < -86; x += 1.0F / 4096) values.push_back(x);  // subnormal results
  for (std::uint32_t bits = 0; bits < 0xFFFFFFFFU - 997; bits += 997) {
    values.push_back(from_bits<float>(bits));
  }
  return values;
}

TEST(ExpLanesTest, HasTheBitsOfOneByOne) {
  const std::vector<float> x = arguments();
  for_each_isa([&] {
    std::vector<float> out(x.size());
    const auto done = exp_lanes(out.data(), x.data(), static_cast<std::int64_t>(x.size()));
    EXPECT_EQ(done, best_isa() == Isa::kAvx512 ? static_cast<std::int64_t>(x.size() / 16 * 16) : 0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i) {
      const float expected = simd::exp(x[i]);
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(out[i])) << i;
      } else {
        ASSERT_EQ(to_bits<float>(out[i]), to_bits<float>(expected)) << x[i];
      }
    }
  });
}

}  // namespace
}  // namespace loci::kernels
