#include "framework/device/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::device {
namespace {

using ::testing::HasSubstr;

TEST(FailureTest, OneIsThereWithoutMemory) {
  const std::shared_ptr<Failure>& failure = failure_without_memory();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error.code(), ErrorCode::kOutOfMemory);
  EXPECT_THAT(failure->error.what(), HasSubstr("no host memory was left"));
  EXPECT_EQ(&failure_without_memory(), &failure);
}

TEST(FailureTest, HoldsTheError) {
  const std::shared_ptr<Failure> failure = failure_of(Error(ErrorCode::kFailed, "broken"));
  EXPECT_STREQ(failure->error.what(), "broken");
  EXPECT_FALSE(failure->was_thrown);
}

}  // namespace
}  // namespace loci::device
