#include "framework/program/row_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr BucketUser kUser{"captured function", "CaptureOptions"};

TEST(RowBucketsTest, BucketsAscendFromOne) {
  EXPECT_NO_THROW(check_buckets({}, kUser));
  EXPECT_NO_THROW(check_buckets({1, 8}, kUser));
  EXPECT_THAT(
      [] {
        check_buckets({8, 8}, kUser);
      },
      ThrowsMessage<Error>(
          HasSubstr("[captured function] CaptureOptions::buckets are 8, 8; give extents of 1")));
  EXPECT_THROW(check_buckets({0, 8}, kUser), Error);
}

TEST(RowBucketsTest, TheSmallestThatFits) {
  const std::vector<std::int64_t> buckets{4, 8};
  EXPECT_EQ(bucket_of(buckets, 0), 4);
  EXPECT_EQ(bucket_of(buckets, 4), 4);
  EXPECT_EQ(bucket_of(buckets, 5), 8);
  EXPECT_EQ(bucket_of(buckets, 9), std::nullopt);
  EXPECT_EQ(too_many_rows(buckets), "it has more rows than the largest bucket, 8");
}

TEST(RowBucketsTest, AResultHasTheRowsOfTheBucket) {
  EXPECT_NO_THROW(check_result(0, {4, 2}, 4, kUser));
  EXPECT_THROW(check_result(0, {}, 4, kUser), Error);
  EXPECT_THAT([] { check_result(1, {3}, 4, kUser); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("[captured function] result 1 is [3], and the inputs have 4"),
                        HasSubstr("leave CaptureOptions::buckets out"))));
}

}  // namespace
}  // namespace loci::program
