#include "plugins/report_text/figures.h"

#include <gtest/gtest.h>

namespace loci::report_text {
namespace {

TEST(FiguresTest, TimesHaveFiveSignificantDigitsInTheUnitThatSuitsThem) {
  EXPECT_EQ(scaled_time(0), "0ns");
  EXPECT_EQ(scaled_time(302), "302ns");
  EXPECT_EQ(scaled_time(999), "999ns");
  EXPECT_EQ(scaled_time(1000), "1.0000us");
  EXPECT_EQ(scaled_time(12'639), "12.639us");
  EXPECT_EQ(scaled_time(38'000), "38.000us");
  EXPECT_EQ(scaled_time(9'630'500), "9.6305ms");
  EXPECT_EQ(scaled_time(85'285'000), "85.285ms");
  EXPECT_EQ(scaled_time(580'000'000), "580.00ms");
  EXPECT_EQ(scaled_time(2'683'610'000), "2.68361s");
  EXPECT_EQ(scaled_time(123'456'789'000), "123.457s");
}

TEST(FiguresTest, TimesThatRoundUpToTheNextUnitAreInIt) {
  EXPECT_EQ(scaled_time(999'994), "999.99us");
  EXPECT_EQ(scaled_time(999'995), "1.0000ms");
  EXPECT_EQ(scaled_time(999'999'999), "1.00000s");
  EXPECT_EQ(scaled_time(9'999'996), "10.000ms");
}

TEST(FiguresTest, BytesHaveBinaryUnits) {
  EXPECT_EQ(scaled_bytes(0), "0 B");
  EXPECT_EQ(scaled_bytes(1023), "1023 B");
  EXPECT_EQ(scaled_bytes(1536), "1.5 KiB");
  EXPECT_EQ(scaled_bytes(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(scaled_bytes(6'000'000'000), "5.59 GiB");
  EXPECT_EQ(scaled_bytes(UINT64_MAX), "16 EiB");
}

TEST(FiguresTest, AGigabyteInTenMillisecondsIsAHundredGigabytesPerSecond) {
  EXPECT_EQ(throughput(1'000'000'000, 10'000'000), "100 GB/s");
  EXPECT_EQ(throughput(1'234'000'000'000, 1'000'000'000), "1234 GB/s");
  EXPECT_EQ(speed(2'500, 1'000), "2.5 GFLOP/s");
}

TEST(FiguresTest, WhatIsNotKnownIsADash) {
  EXPECT_EQ(throughput(0, 10), "-");
  EXPECT_EQ(throughput(10, 0), "-");
  EXPECT_EQ(percent(1, 0), "-");
}

TEST(FiguresTest, PercentHasOneDecimal) {
  EXPECT_EQ(percent(1, 8), "12.5 %");
  EXPECT_EQ(percent(3, 3), "100.0 %");
}

}  // namespace
}  // namespace loci::report_text
