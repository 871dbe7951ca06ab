#include "framework/core/private_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <loci/error.hpp>
#include <optional>

#include "tests/support/file_faults.h"
#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

namespace fs = std::filesystem;
using test::FaultKind;
using test::FileFaults;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;

class PrivateFileTest : public ::testing::Test {
 protected:
  PrivateFileTest() {
    if (const char* given = std::getenv("TMPDIR")) before_ = given;
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
  }
  ~PrivateFileTest() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

  test::ScratchDirectory scratch_;
  std::optional<std::string> before_;
};

TEST_F(PrivateFileTest, IsForThisUserAlone) {
  PrivateFile file("loci-", ".profile");
  EXPECT_THAT(file.path(), MatchesRegex(scratch_.path() + "/loci-[0-9A-Za-z]*\\.profile"));
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  file.write("content", 7);
  file.keep();
  EXPECT_EQ(scratch_.read(fs::path(file.path()).filename().string()), "content");
}

TEST_F(PrivateFileTest, StaysOnlyIfItIsKept) {
  { PrivateFile("loci-", "").write("x", 1); }
  EXPECT_EQ(scratch_.entries(), 0U);
  std::string path;
  {
    PrivateFile file("loci-", "");
    file.keep();
    path = file.path();
  }
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(PrivateFileTest, WhatFailsLeavesNone) {
  const auto keep_with = [&](const char* call, int error) {
    PrivateFile file("loci-", "");
    const FileFaults faults({0, FaultKind::kError, error, call});
    file.write("x", 1);
    file.keep();
  };
  EXPECT_THAT([&] { keep_with("write", ENOSPC); }, ThrowsMessage<Error>(HasSubstr("No space")));
  EXPECT_THAT([&] { keep_with("fsync", EIO); }, ThrowsMessage<Error>(HasSubstr("Input/output")));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(PrivateFileTest, AbsentDirectoryIsAnError) {
  ::setenv("TMPDIR", scratch_.path("absent").c_str(), 1);
  EXPECT_THAT([] { PrivateFile("loci-", ""); }, ThrowsMessage<Error>(HasSubstr("absent/loci-")));
}

TEST_F(PrivateFileTest, ARelativeDirectoryIsNotTaken) {
  ::setenv("TMPDIR", "relative", 1);
  EXPECT_THAT(PrivateFile("loci-", "").path(), HasSubstr("/tmp/loci-"));
}

}  // namespace
}  // namespace loci::core
