#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <set>
#include <string>
#include <type_traits>

#include "framework/core/raise.h"

namespace loci {
namespace {

TEST(ErrorTest, CarriesCodeMessageAndDetails) {
  const Error error(ErrorCode::kDataLoss, "[io] broken", "more\nlines");
  EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  EXPECT_STREQ(error.what(), "[io] broken");
  EXPECT_EQ(error.details(), "more\nlines");
}

TEST(ErrorTest, WithinPutsTheContextInFrontAndKeepsTheRest) {
  const Error error = Error(ErrorCode::kNotFound, "[scope] no 'w'", "details").within("digits");
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_STREQ(error.what(), "digits: [scope] no 'w'");
  EXPECT_EQ(error.details(), "details");
}

TEST(ErrorTest, TheMessageIsOneLineWhateverItNames) {
  const Error error(ErrorCode::kInvalidArgument, "[place] 'a\nb\x1b' is none", "more\nlines");
  EXPECT_STREQ(error.what(), R"([place] 'a\x0ab\x1b' is none)");
  EXPECT_EQ(error.details(), "more\nlines");
  EXPECT_STREQ(error.within("c\rd").what(), R"(c\x0dd: [place] 'a\x0ab\x1b' is none)");
}

TEST(ErrorTest, LongTextsAreCutWithACount) {
  const std::string nine_million(9'000'000, 'x');
  const Error error(ErrorCode::kDataLoss, "[io] " + nine_million, nine_million);
  EXPECT_EQ(error.what(), "[io] " + std::string(2043, 'x') + "... (8997957 bytes left out)");
  EXPECT_EQ(error.details(), std::string(262144, 'x') + "... (8737856 bytes left out)");
  const Error copy = error.within("digits").within(nine_million);
  EXPECT_EQ(copy.what(), std::string(2048, 'x') + "... (17997967 bytes left out)");
  EXPECT_EQ(copy.details(), error.details());
  const Error fits(ErrorCode::kDataLoss, std::string(2048, 'x'), std::string(262144, 'y'));
  EXPECT_EQ(fits.what(), std::string(2048, 'x'));
  EXPECT_EQ(fits.details().size(), 262144U);
}

TEST(ErrorTest, ACopyNeedsNoMemory) {
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
  const Error error(ErrorCode::kFailed, "message", "details");
  const Error copy = error;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(&copy.details(), &error.details());
}

TEST(ErrorTest, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 1; code <= 12; ++code) {
    names.insert(error_code_name(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), 12U);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(error_code_name(ErrorCode::kOutOfMemory), "out_of_memory");
  EXPECT_EQ(error_code_name(static_cast<ErrorCode>(13)), "unknown");
}

TEST(ErrorTest, RaiseFormatsTheMessage) {
  try {
    core::raise(ErrorCode::kPolicy, "[{}] {} of {}", "where", 1, 2);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kPolicy);
    EXPECT_STREQ(error.what(), "[where] 1 of 2");
    return;
  }
  FAIL() << "raise() returned";
}

}  // namespace
}  // namespace loci
