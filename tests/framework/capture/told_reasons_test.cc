#include "framework/capture/told_reasons.h"

#include <gtest/gtest.h>

namespace loci::capture {
namespace {

TEST(ToldReasonsTest, EachReasonOfEachFormIsFirstOnce) {
  ToldReasons told;
  EXPECT_TRUE(told.is_first("float32[2] at cpu", "it changes its input 0 in place"));
  EXPECT_FALSE(told.is_first("float32[2] at cpu", "it changes its input 0 in place"));
  EXPECT_TRUE(told.is_first("float32[2] at cpu", "its result 0 requires a gradient"));
  EXPECT_TRUE(told.is_first("float32[3] at cpu", "it changes its input 0 in place"));
  told.clear();
  EXPECT_TRUE(told.is_first("float32[2] at cpu", "it changes its input 0 in place"));
}

TEST(ToldReasonsTest, ManyAreForgotten) {
  ToldReasons told;
  for (std::size_t i = 0; i <= ToldReasons::kMost; ++i) {
    EXPECT_TRUE(told.is_first(std::to_string(i), "it has more rows"));
  }
  EXPECT_TRUE(told.is_first("0", "it has more rows"));
}

}  // namespace
}  // namespace loci::capture
