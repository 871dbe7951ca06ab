#include "framework/core/elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ElementsTest, FloatsAreExact) {
  EXPECT_THAT(to_doubles(Tensor::from<float>({0.1F, -2}, {2})), ElementsAre(double{0.1F}, -2.0));
  const std::uint16_t half[] = {0x3C00, 0xC000};
  EXPECT_THAT(to_doubles(Tensor::from_bytes(half, {2}, kFloat16)), ElementsAre(1.0, -2.0));
  const std::uint16_t brain[] = {0x3F80};
  EXPECT_THAT(to_doubles(Tensor::from_bytes(brain, {}, kBFloat16)), ElementsAre(1.0));
}

TEST(ElementsTest, IntegersAreExact) {
  EXPECT_THAT(to_integers(Tensor::from<std::int8_t>({-128, 127}, {2})), ElementsAre(-128, 127));
  EXPECT_THAT(to_integers(Tensor::from<std::uint32_t>({4294967295U}, {1})),
              ElementsAre(4294967295));
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_THAT(to_integers(Tensor::from_bytes(&most, {1}, kUInt64)), ElementsAre(-1));
  const bool flags[] = {true, false};
  EXPECT_THAT(to_integers(Tensor::from_bytes(flags, {2}, kBool)), ElementsAre(1, 0));
}

TEST(ElementsTest, RefusesTheOtherKind) {
  EXPECT_THAT([] { (void)to_doubles(Tensor::from<std::int8_t>({1}, {1})); },
              ThrowsMessage<Error>(HasSubstr("int8 is no floating dtype")));
  EXPECT_THAT([] { (void)to_integers(Tensor::from<float>({1}, {1})); },
              ThrowsMessage<Error>(HasSubstr("float32 is no integer dtype")));
}

}  // namespace
}  // namespace loci::core
