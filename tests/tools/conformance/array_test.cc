#include "tools/conformance/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tools/conformance/broadcast.h"

namespace loci::conformance {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

TEST(RoundTo, TakesTheNearestAndBreaksTiesToEven) {
  EXPECT_EQ(round_to(kFloat16, 1 + 0x1p-11L), 1);
  EXPECT_EQ(round_to(kFloat16, 1 + 3 * 0x1p-11L), 1 + 0x1p-9L);
  EXPECT_EQ(round_to(kFloat16, 1 + 0x1p-11L + 0x1p-40L), 1 + 0x1p-10L);
  EXPECT_EQ(round_to(kBFloat16, 257), 256);
  EXPECT_EQ(round_to(kBFloat16, 259), 260);
  EXPECT_EQ(round_to(kFloat32, 16777217), 16777216);
  EXPECT_EQ(round_to(kFloat64, 0.1L), Real{0.1});
}

TEST(RoundTo, KeepsSubnormalsAndOverflowsToInfinity) {
  EXPECT_EQ(round_to(kFloat16, 0x1p-24L), 0x1p-24L);
  EXPECT_EQ(round_to(kFloat16, 0x1p-25L), 0);
  EXPECT_EQ(round_to(kFloat16, 0x1.8p-25L), 0x1p-24L);
  EXPECT_EQ(round_to(kFloat16, 65519), 65504);
  EXPECT_EQ(round_to(kFloat16, 65520), kInfinity);
  EXPECT_EQ(round_to(kFloat32, -1e39L), -kInfinity);
  EXPECT_TRUE(std::isnan(round_to(kFloat32, std::nanl(""))));
}

TEST(RoundTo, AgreesWithTheConversionsOfTheCompiler) {
  for (const Real value : {0.1L, -1.0L / 3, 1e-40L, 1e-45L, 3.4028235e38L, 3.40282357e38L}) {
    EXPECT_EQ(round_to(kFloat32, value), static_cast<float>(value)) << static_cast<double>(value);
  }
}

TEST(RoundTo, WrapsIntegersAndMakesBools) {
  EXPECT_EQ(round_to(kInt8, 128), -128);
  EXPECT_EQ(round_to(kInt8, -129), 127);
  EXPECT_EQ(round_to(kUInt8, -1), 255);
  EXPECT_EQ(round_to(kUInt8, 2.9L), 2);
  EXPECT_EQ(round_to(kInt64, 9223372036854775807.0L), 9223372036854775807.0L);
  EXPECT_EQ(round_to(kInt64, 18446744073709551615.0L), -1);
  EXPECT_EQ(round_to(kBool, -0.5L), 1);
}

TEST(Array, GoesThroughATensorUnchanged) {
  for (const DType dtype : kAllTypes) {
    const Array array(dtype, {2, 2}, {0, 1, 1, 0});
    const Tensor tensor = to_tensor(array);
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(tensor.shape(), array.shape);
    EXPECT_EQ(to_array(tensor).values, array.values) << dtype_name(dtype);
  }
}

TEST(Array, HoldsTheLimitsOfLongIntegers) {
  const Array big(kUInt64, {1}, {18446744073709551615.0L});
  EXPECT_EQ(to_tensor(big).item<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(to_array(to_tensor(big)).values, big.values);
}

TEST(Array, IndexesInCOrder) {
  const Array array(kFloat32, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(array.at({1, 1}), 4);
  EXPECT_EQ(index_of(array.shape, 5), (Index{1, 2}));
  EXPECT_EQ(array.extent(-1), 3);
}

TEST(Broadcast, AlignsAtTheLastDimension) {
  EXPECT_EQ(broadcast_shape({4, 1, 3}, {5, 1}), (Shape{4, 5, 3}));
  EXPECT_EQ(broadcast_shape({}, {0, 2}), (Shape{0, 2}));
  EXPECT_EQ(broadcast_index({5, 1}, {3, 4, 2}), (Index{4, 0}));
}

}  // namespace
}  // namespace loci::conformance
