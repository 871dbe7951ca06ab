#include "framework/core/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <loci/error.hpp>

#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

class AtomicFileTest : public ::testing::Test {
 protected:
  static void write(const std::string& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
  }

  test::ScratchDirectory scratch_;
};

// Files cannot grow beyond a size while it lives, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(AtomicFileTest, BytesCanBeWrittenOver) {
  AtomicFile file(scratch_.path("new"));
  file.write("abcdef", 6);
  file.write_at(1, "XY", 2);
  file.write("g", 1);
  file.commit();
  EXPECT_EQ(scratch_.read("new"), "aXYdefg");
}

TEST_F(AtomicFileTest, MakesAFile) {
  write(scratch_.path("new"), "content");
  EXPECT_EQ(scratch_.read("new"), "content");
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(AtomicFileTest, ReplacesOnlyOnCommit) {
  scratch_.write("file", "old");
  AtomicFile file(scratch_.path("file"));
  file.write("ne", 2);
  file.write("w", 1);
  EXPECT_EQ(scratch_.read("file"), "old");
  file.stage();
  EXPECT_EQ(scratch_.read("file"), "old");
  file.commit();
  EXPECT_EQ(scratch_.read("file"), "new");
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  scratch_.write("file", "old");
  {
    AtomicFile written(scratch_.path("file"));
    written.write("new", 3);
    AtomicFile staged(scratch_.path("other"));
    staged.write("new", 3);
    staged.stage();
    EXPECT_EQ(scratch_.entries(), 3U);
  }
  EXPECT_EQ(scratch_.read("file"), "old");
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(AtomicFileTest, FailedWriteLeavesTheOldFile) {
  scratch_.write("file", "old");
  const std::string large(1 << 20, 'x');
  const FileSizeLimit limit(1000);
  EXPECT_THAT([&] { write(scratch_.path("file"), large); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kFailed),
                                  Property(&Error::what, HasSubstr(scratch_.path("file"))),
                                  Property(&Error::what, HasSubstr("write: File too large")))));
  EXPECT_EQ(scratch_.read("file"), "old");
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheReplacedFile) {
  const std::string path = scratch_.write("file", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  write(path, "new");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(AtomicFileTest, NewFileFollowsTheUmask) {
  const mode_t before = ::umask(027);
  write(scratch_.path("file"), "new");
  ::umask(before);
  EXPECT_EQ(fs::status(scratch_.path("file")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(AtomicFileTest, FollowsASymbolicLink) {
  scratch_.write("target", "old");
  fs::create_symlink("target", scratch_.path("link"));
  write(scratch_.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(scratch_.path("link")));
  EXPECT_EQ(scratch_.read("target"), "new");
}

TEST_F(AtomicFileTest, FollowsAChainOfLinksToANewFile) {
  fs::create_symlink("second", scratch_.path("first"));
  fs::create_symlink(scratch_.path("target"), scratch_.path("second"));
  write(scratch_.path("first"), "new");
  EXPECT_TRUE(fs::is_symlink(scratch_.path("first")));
  EXPECT_EQ(scratch_.read("target"), "new");
  fs::create_symlink("loop", scratch_.path("loop"));
  EXPECT_THAT([&] { write(scratch_.path("loop"), ""); },
              ThrowsMessage<Error>(HasSubstr("symbolic link: Too many levels")));
}

TEST_F(AtomicFileTest, ReplacesALinkWhereTheUserGaveNoName) {
  scratch_.write("target", "old");
  fs::create_symlink("target", scratch_.path("link"));
  AtomicFile file(scratch_.path("link"), Links::kReplace);
  file.write("new", 3);
  file.commit();
  EXPECT_FALSE(fs::is_symlink(scratch_.path("link")));
  EXPECT_EQ(scratch_.read("link"), "new");
  EXPECT_EQ(scratch_.read("target"), "old");
}

TEST_F(AtomicFileTest, RefusesALinkThatAnotherUserPlanted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link of another user";
  constexpr uid_t kNobody = 65534;
  scratch_.write("target", "old");
  fs::create_directory(scratch_.path("shared"));
  ASSERT_EQ(::chmod(scratch_.path("shared").c_str(), 01777), 0);
  const std::string link = scratch_.path("shared/link");
  fs::create_symlink("../target", link);
  write(link, "mine");
  EXPECT_EQ(scratch_.read("target"), "mine");
  ASSERT_EQ(::lchown(link.c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(
      [&] { write(link, "theirs"); },
      ThrowsMessage<Error>(HasSubstr(link + ": write: is a symbolic link of another user")));
  EXPECT_EQ(scratch_.read("target"), "mine");
}

TEST_F(AtomicFileTest, TakesTheLongestName) {
  const std::string name(255, 'n');
  write(scratch_.path(name), "new");
  EXPECT_EQ(scratch_.read(name), "new");
}

TEST_F(AtomicFileTest, RefusesWhatIsNoRegularFile) {
  fs::create_directory(scratch_.path("directory"));
  EXPECT_THAT([&] { AtomicFile file(scratch_.path("directory")); },
              ThrowsMessage<Error>(HasSubstr("is a directory, not a regular file")));
  ASSERT_EQ(::mkfifo(scratch_.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { AtomicFile file(scratch_.path("pipe")); },
              ThrowsMessage<Error>(HasSubstr("write: is a pipe, socket or device")));
}

TEST_F(AtomicFileTest, AbsentDirectoryIsAnError) {
  EXPECT_THAT([&] { AtomicFile file(scratch_.path("absent/file")); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kFailed),
                                  Property(&Error::what, HasSubstr("create: No such file")))));
}

}  // namespace
}  // namespace loci::core
