#include "tools/loci/quantity.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

TEST(BytesTextTest, TakesTheLargestUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{3} << 20), "3.0 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{141} << 30), "141.0 GiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 52), "4096.0 TiB");
}

TEST(DurationTextTest, TakesTheLargestUnitThatFits) {
  EXPECT_EQ(duration_text(12.34), "12.3 µs");
  EXPECT_EQ(duration_text(1234), "1.23 ms");
  EXPECT_EQ(duration_text(4.56e6), "4.56 s");
}

}  // namespace
}  // namespace loci::runner
