#include "framework/device/call_name.h"

#include <gtest/gtest.h>

namespace loci::device {
namespace {

TEST(CallNameTest, SaysWhichDevice) {
  EXPECT_EQ(call_name("open", Place("sim", 1)), "open of sim:1");
  EXPECT_EQ(call_name("close", Place()), "close of cpu");
}

}  // namespace
}  // namespace loci::device
