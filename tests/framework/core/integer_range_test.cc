#include "framework/core/integer_range.h"

#include <gtest/gtest.h>

#include <limits>

namespace loci::core {
namespace {

template <class T>
void expect_limits(DType dtype) {
  const auto least = static_cast<double>(std::numeric_limits<T>::min());
  // float64 rounds the largest number of 64 bits up to the end.
  const auto most = static_cast<double>(std::numeric_limits<T>::max());
  const double end = sizeof(T) == 8 ? most : most + 1;
  EXPECT_EQ(least_integer(dtype), least);
  EXPECT_EQ(integer_end(dtype), end);
  EXPECT_EQ(residues_of(dtype), end - least);
  for (const double number : {least, 0.0, 1.0, std::nextafter(end, 0.0)}) {
    EXPECT_TRUE(fits_integer(number, dtype)) << dtype_name(dtype) << " " << number;
  }
  for (const double number : {end, least - 1, std::nan(""), 1e30, -1e30}) {
    const bool is_rounded = number == least;  // least - 1 of 64 bits
    EXPECT_EQ(fits_integer(number, dtype), is_rounded) << dtype_name(dtype) << " " << number;
  }
}

TEST(IntegerRangeTest, IsThatOfTheTypes) {
  expect_limits<std::int8_t>(kInt8);
  expect_limits<std::int16_t>(kInt16);
  expect_limits<std::int32_t>(kInt32);
  expect_limits<std::int64_t>(kInt64);
  expect_limits<std::uint8_t>(kUInt8);
  expect_limits<std::uint16_t>(kUInt16);
  expect_limits<std::uint32_t>(kUInt32);
  expect_limits<std::uint64_t>(kUInt64);
}

}  // namespace
}  // namespace loci::core
