#include "plugins/kernels/half_convert.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "tests/plugins/kernels/each_isa.h"

namespace loci::kernels {
namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint16_t as_half(float value, sdk::f16) { return loci_f32_to_f16(value); }
std::uint16_t as_half(float value, sdk::bf16) { return loci_f32_to_bf16(value); }

template <class Half>
class HalfConvertTest : public ::testing::Test {};

using Halves = ::testing::Types<sdk::f16, sdk::bf16>;
TYPED_TEST_SUITE(HalfConvertTest, Halves, );

// An odd number of them, so that both the lanes and the rest are used.
TYPED_TEST(HalfConvertTest, WidensEachHalfAsOneByOne) {
  std::vector<TypeParam> halves(65536 + 3);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<std::uint16_t>(i);
  for_each_isa([&] {
    std::vector<float> wide(halves.size());
    widen(halves.data(), wide.data(), static_cast<std::int64_t>(wide.size()));
    for (std::size_t i = 0; i < wide.size(); ++i) {
      ASSERT_EQ(bits_of(wide[i]), bits_of(static_cast<float>(halves[i]))) << i;
    }
  });
}

// Halves, what lies between two of them, ties, and NaN that carry something.
TYPED_TEST(HalfConvertTest, NarrowsFloatsAsOneByOne) {
  std::vector<float> floats;
  for (std::uint32_t high = 0; high < 65536; ++high) {
    for (const std::uint32_t low : {0U, 1U, 0x0FFFU, 0x1000U, 0x1001U, 0x8000U, 0xFFFFU}) {
      floats.push_back(loci_f32_from_bits(high << 16 | low));
    }
  }
  floats.push_back(std::numeric_limits<float>::infinity());
  for_each_isa([&] {
    std::vector<TypeParam> halves(floats.size());
    narrow(floats.data(), halves.data(), static_cast<std::int64_t>(halves.size()));
    for (std::size_t i = 0; i < halves.size(); ++i) {
      ASSERT_EQ(halves[i].bits, as_half(floats[i], TypeParam())) << std::hex << bits_of(floats[i]);
    }
  });
}

}  // namespace
}  // namespace loci::kernels
