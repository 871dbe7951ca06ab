#include "plugins/kernels/wide_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/plugins/kernels/each_isa.h"
#include "tests/plugins/kernels/random_floats.h"

namespace loci::kernels {
namespace {

using loci::testing::random_floats;

// Sums floats whose sum in another order is most likely another.
double widest_sum(const std::vector<float>& x, std::int64_t count) {
  double sum = 0;
  run_widest([&](auto vector) LOCI_INLINE { sum = sum_run(vector, x.data(), count); });
  return sum;
}

std::vector<float> floats_of_many_sizes(std::int64_t count) {
  std::vector<float> x = random_floats(count, 7);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] *= 1e20F;
  for (std::size_t i = 1; i < x.size(); i += 3) x[i] *= 1e10F;
  return x;
}

TEST(WideSums, HaveTheBitsOfTheSumOfAnyProcessor) {
  const std::vector<float> x = floats_of_many_sizes(6000);
  for_each_isa([&] {
    for (const std::int64_t count : {0,   1,    15,   16,   17,   31,   32,   33,   48,   63,  64,
                                     150, 1024, 2047, 2048, 2049, 2080, 2096, 4095, 4096, 6000}) {
      EXPECT_EQ(widest_sum(x, count), sum_run(x.data(), count)) << count << " floats";
    }
  });
}

TEST(WideSums, KeepNanAndInfinities) {
  std::vector<float> x(100, 1.0F);
  x[40] = std::numeric_limits<float>::infinity();
  for_each_isa([&] { EXPECT_EQ(widest_sum(x, 100), std::numeric_limits<double>::infinity()); });
  x[98] = -x[40];
  for_each_isa([&] { EXPECT_NE(widest_sum(x, 100), widest_sum(x, 100)); });
}

}  // namespace
}  // namespace loci::kernels
