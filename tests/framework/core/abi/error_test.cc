#include "framework/core/abi/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/abi/error_object.h"

namespace loci::core {
namespace {

TEST(AbiError, ComesBackAsItWent) {
  const Error error(ErrorCode::kOutOfMemory, "[x] no room; make some", "first\nsecond");
  const Error back = take_error(make_error(error));
  EXPECT_EQ(back.code(), error.code());
  EXPECT_STREQ(back.what(), error.what());
  EXPECT_EQ(back.details(), error.details());
}

TEST(AbiError, CausesBecomeDetails) {
  loci_error* root = new_error(LOCI_CODE_FAILED, "root", nullptr);
  loci_error* middle = new_error(LOCI_CODE_FAILED, "middle", root);
  const Error taken = take_error(new_error(LOCI_CODE_UNAVAILABLE, "top", middle));
  EXPECT_EQ(taken.code(), ErrorCode::kUnavailable);
  EXPECT_STREQ(taken.what(), "top");
  EXPECT_EQ(taken.details(), "middle\nroot");
}

TEST(AbiError, CodesThatAreNotKnownAreFailures) {
  EXPECT_EQ(take_error(new_error(0, "x", nullptr)).code(), ErrorCode::kFailed);
  EXPECT_EQ(take_error(new_error(13, "x", nullptr)).code(), ErrorCode::kFailed);
  EXPECT_EQ(take_error(new_error(-7, "x", nullptr)).code(), ErrorCode::kFailed);
}

TEST(AbiError, AnyNumberOfCausesIsFreed) {
  loci_error* chain = nullptr;
  for (int i = 0; i < 1'000'000; ++i) chain = new_error(LOCI_CODE_FAILED, "deep", chain);
  free_error(chain);
  free_error(nullptr);
}

TEST(AbiError, CheckThrowsWithItsContext) {
  EXPECT_NO_THROW(check(nullptr));
  EXPECT_NO_THROW(check(nullptr, "context"));
  try {
    check(new_error(LOCI_CODE_UNSUPPORTED, "not that", nullptr), "opening sim:0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_STREQ(error.what(), "opening sim:0: not that");
  }
  EXPECT_THROW(check(new_error(LOCI_CODE_FAILED, "x", nullptr)), Error);
}

TEST(AbiError, StringsCrossTheBoundary) {
  EXPECT_EQ(from_abi(to_abi("abc")), "abc");
  EXPECT_EQ(from_abi({nullptr, 0}), "");
}

}  // namespace
}  // namespace loci::core
