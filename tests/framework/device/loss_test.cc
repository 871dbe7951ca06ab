#include "framework/device/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::device {
namespace {

using ::testing::HasSubstr;

TEST(LossTest, TheFirstReasonCounts) {
  Loss loss;
  EXPECT_FALSE(loss.is_lost());
  EXPECT_EQ(loss.by(), "");
  EXPECT_TRUE(loss.set(Loss::Kind::kTold, "it fell off the bus"));
  EXPECT_FALSE(loss.set(Loss::Kind::kHung, "it hangs"));
  EXPECT_TRUE(loss.is_lost());
  EXPECT_FALSE(loss.is_hung());
  EXPECT_EQ(loss.by(), "it fell off the bus");
}

TEST(LossTest, ARefusalSaysByWhatAndWhatToDo) {
  Loss loss;
  loss.set(Loss::Kind::kHung, "a kernel hangs");
  EXPECT_TRUE(loss.is_hung());
  try {
    loss.refuse(Place("sim", 1));
    FAIL() << "it is lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDeviceLost);
    EXPECT_THAT(error.what(), HasSubstr("[device] sim:1 is lost: a kernel hangs; "));
    EXPECT_THAT(error.what(), HasSubstr("call reopen_device()"));
  }
}

}  // namespace
}  // namespace loci::device
