#include "tests/bench/operator_times.h"

#include <gtest/gtest.h>

#include <loci/loci.hpp>

namespace loci::bench {
namespace {

TEST(BenchOperatorTimesTest, CountsEachOperatorOfACall) {
  const SerialMode serial;
  const NoGrad inference;
  const Tensor x = Tensor::from(std::vector<float>(6, 1.0F), {2, 3});
  const Tensor y = Tensor::from(std::vector<float>(12, 1.0F), {3, 4});
  const std::vector<OperatorTime> times = operator_times([&] {
    const Tensor product = matmul(x, y);
    (void)relu(product);
    (void)relu(product);
  });
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].name, "matmul");
  EXPECT_EQ(times[0].runs, 1);
  EXPECT_EQ(times[0].flops, 2 * 2 * 3 * 4);
  EXPECT_EQ(times[0].bytes, 4 * (6 + 12 + 8));
  EXPECT_GT(times[0].us, 0);
  EXPECT_NE(times[0].detail.find("float32[2, 3]"), std::string::npos) << times[0].detail;
  EXPECT_NE(times[0].kernel.find("org.loci.cpu/"), std::string::npos) << times[0].kernel;
  EXPECT_EQ(times[1].name, "relu");
  EXPECT_EQ(times[1].runs, 2);
  EXPECT_EQ(times[1].bytes, 4 * (8 + 8));
}

TEST(BenchOperatorTimesTest, AreNoneOfACallWithoutOperators) {
  EXPECT_TRUE(operator_times([] {}).empty());
}

}  // namespace
}  // namespace loci::bench
