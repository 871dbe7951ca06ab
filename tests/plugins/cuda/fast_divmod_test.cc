#include "plugins/cuda/kernels/launch/fast_divmod.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace loci::cuda {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Divides as the device does.
std::int64_t quotient(std::int64_t dividend, const FastDivision& by) {
  const Wide product = static_cast<Wide>(dividend) * by.factor;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U) >> by.shift);
}

// Where a quotient changes, and at both ends.
void check_divisor(std::int64_t divisor, std::int64_t multiple) {
  const FastDivision by = fast_division_by(divisor);
  const std::int64_t edge = multiple / divisor * divisor;
  for (const std::int64_t dividend : {edge, edge - 1, multiple, std::int64_t{0}, kLargest}) {
    if (dividend < 0) continue;
    ASSERT_EQ(quotient(dividend, by), dividend / divisor) << dividend << " / " << divisor;
  }
}

TEST(FastDivmodTest, OfEachSizeOfDivisorIsExact) {
  std::mt19937_64 draw(7);
  std::vector<std::int64_t> divisors = {2, 3, 5, 7, kLargest, kLargest - 1, kLargest / 2 + 1};
  for (int bits = 2; bits < 63; ++bits) {
    const std::int64_t power = std::int64_t{1} << bits;
    divisors.insert(divisors.end(), {power - 1, power, power + 1});
    divisors.push_back(power +
                       static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(power)));
  }
  for (const std::int64_t divisor : divisors) {
    for (int i = 0; i < 100; ++i) {
      check_divisor(divisor, static_cast<std::int64_t>(draw() >> (1 + draw() % 62)));
    }
  }
}

}  // namespace
}  // namespace loci::cuda
