#include "framework/core/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <loci/error.hpp>

#include "tests/support/file_faults.h"
#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

using test::FaultKind;
using test::FileFaults;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OutputFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] int descriptor() const {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  void expect_error(const char* call, int error, const std::string& message) const {
    OutputFile file(descriptor(), path_);
    const FileFaults faults({0, FaultKind::kError, error, call});
    EXPECT_THAT(
        [&] {
          file.write("content", 7);
          file.sync();
        },
        ThrowsMessage<Error>(HasSubstr(path_ + ": " + message)));
  }

  test::ScratchDirectory scratch_;
  std::string path_ = scratch_.path("file");
};

TEST_F(OutputFileTest, WritesAllThatItIsGiven) {
  OutputFile file(descriptor(), path_);
  {
    const FileFaults half({0, FaultKind::kHalf, 0, "write"});
    file.write("con", 3);
  }
  {
    const FileFaults interrupted({0, FaultKind::kError, EINTR, "write"});
    file.write("tent", 4);
  }
  const FileFaults interrupted({0, FaultKind::kError, EINTR, "fsync"});
  file.sync();
  EXPECT_EQ(scratch_.read("file"), "content");
  EXPECT_EQ(file.name(), path_);
}

TEST_F(OutputFileTest, SaysWhatFails) {
  expect_error("write", ENOSPC,
               "write: No space left on device; free space there, or write elsewhere");
  expect_error("fsync", EIO, "write: Input/output error");
  expect_error("close", EDQUOT, "write: Disk quota exceeded; free space there, or write elsewhere");
  expect_error("fcntl", EMFILE, "write: Too many open files");
}

TEST_F(OutputFileTest, SyncsNamesWhereItCan) {
  EXPECT_NO_THROW(sync_directory(scratch_.path()));
  EXPECT_NO_THROW(sync_file(scratch_.write("other", "x")));
  const auto sync_with = [&](const char* call, int error) {
    const FileFaults faults({0, FaultKind::kError, error, call});
    sync_directory(scratch_.path());
  };
  for (const int error : {EINVAL, ENOTSUP, EINTR}) EXPECT_NO_THROW(sync_with("fsync", error));
  EXPECT_NO_THROW(sync_with("open", EACCES));
  EXPECT_THAT([&] { sync_with("fsync", EIO); },
              ThrowsMessage<Error>(HasSubstr(scratch_.path() + ": write: Input/output error")));
  EXPECT_THAT([&] { sync_with("open", EMFILE); }, ThrowsMessage<Error>(HasSubstr(": open: ")));
  EXPECT_THAT([&] { sync_directory(scratch_.path("absent")); },
              ThrowsMessage<Error>(HasSubstr("absent: open: No such file")));
}

TEST_F(OutputFileTest, KnowsTheDirectoryOfAName) {
  EXPECT_EQ(directory_of("name"), ".");
  EXPECT_EQ(directory_of("a/name"), "a");
  EXPECT_EQ(directory_of("/name"), "/");
}

}  // namespace
}  // namespace loci::core
