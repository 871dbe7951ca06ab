// Constants of pads at the ends of what their dtypes hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <loci/loci.hpp>

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

template <class Number>
Tensor padded(DType dtype, Number value) {
  return pad(cast(full({1}, 1.0), dtype), {1, 0}, "constant", value);
}

TEST(PadValuesTest, IntegersAboveInt64AreThemselves) {
  EXPECT_THAT(padded(kUInt64, kHalf).to_vector<std::uint64_t>(), ElementsAre(kHalf, 1U));
  EXPECT_THAT(padded(kUInt64, kHalf - 1).to_vector<std::uint64_t>(), ElementsAre(kHalf - 1, 1U));
  EXPECT_THAT(padded(kFloat32, kHalf).to_vector<float>(), ElementsAre(0x1p63F, 1.0F));
  EXPECT_THAT([] { (void)padded(kInt64, kHalf); },
              ThrowsMessage<Error>(HasSubstr("does not fit into int64")));
}

TEST(PadValuesTest, IntegersThatNoAttributeHoldsAreRefused) {
  for (const std::uint64_t value : {kMost, kHalf + 1}) {
    for (const DType dtype : {kUInt64, kInt64, kFloat32}) {
      EXPECT_THAT([=] { (void)padded(dtype, value); },
                  ThrowsMessage<Error>(
                      HasSubstr("[pad] value " + std::to_string(value) +
                                " is above 2^63 - 1, and none that float64 has; give another")));
    }
  }
}

TEST(PadValuesTest, TheLeastAndTheMostOfInt64AreThemselves) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t value : {Limits::min(), Limits::max()}) {
    EXPECT_THAT(padded(kInt64, value).to_vector<std::int64_t>(), ElementsAre(value, 1));
  }
}

}  // namespace
}  // namespace loci
