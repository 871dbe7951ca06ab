#include "framework/core/temporary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <loci/error.hpp>
#include <memory>

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

class TemporaryFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<TemporaryFile> make() const {
    return std::make_unique<TemporaryFile>(scratch_.path(), 0666, scratch_.path("target"));
  }
  // Leaves a file as a process that ended did: of this kernel, and without a lock.
  [[nodiscard]] std::string abandon() const {
    std::string name = fs::path(make()->path()).filename().string();
    name[name.size() - 5] = name[name.size() - 5] == '0' ? '1' : '0';
    return scratch_.write(name, "left");
  }
  static void age(const std::string& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }

  test::ScratchDirectory scratch_;
};

TEST_F(TemporaryFileTest, TakesItsName) {
  const auto file = make();
  EXPECT_THAT(fs::path(file->path()).filename().string(),
              MatchesRegex("\\.loci-[0-9a-z]*-[0-9a-f]*\\.tmp"));
  file->write("content", 7);
  file->sync();
  file->rename_to(scratch_.path("target"));
  EXPECT_EQ(scratch_.read("target"), "content");
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(TemporaryFileTest, GoesWithoutOne) {
  { const auto file = make(); }
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(TemporaryFileTest, HasThePermissionsItIsGiven) {
  const TemporaryFile own(scratch_.path(), 0600, "target");
  EXPECT_EQ(fs::status(own.path()).permissions(), fs::perms(0600));
  const auto file = make();
  file->set_mode(0440);
  EXPECT_EQ(fs::status(file->path()).permissions(), fs::perms(0440));
}

TEST_F(TemporaryFileTest, RemovesWhatADeadProcessLeft) {
  const std::string left = abandon();
  const auto file = make();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(TemporaryFileTest, ProcessThatIsKilledLeavesOneAtMost) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto file = make();
      file->write("x", 1);
      std::_Exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(scratch_.entries(), 1U);
  }
}

TEST_F(TemporaryFileTest, LeavesAloneWhatIsWritten) {
  const auto living = make();
  const auto other = make();
  EXPECT_TRUE(fs::exists(living->path()));
  // Read-only ones, too.
  living->set_mode(0400);
  const auto third = make();
  EXPECT_EQ(scratch_.entries(), 3U);
  living->rename_to(scratch_.path("target"));
}

TEST_F(TemporaryFileTest, ThoseOfOtherKernelsHaveADay) {
  const std::string young = scratch_.write(".loci-0badcafe-0123456789abcdef.tmp", "");
  const std::string old = scratch_.write(".loci-0badcafe-1123456789abcdef.tmp", "");
  const std::string older_loci = scratch_.write(".loci-4711-0.tmp", "");
  age(young, 23);
  age(old, 25);
  age(older_loci, 25);
  const auto file = make();
  EXPECT_TRUE(fs::exists(young));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(older_loci));
}

TEST_F(TemporaryFileTest, WithoutLocksAgeDecides) {
  for (const int hours : {23, 25}) {
    const std::string left = abandon();
    age(left, hours);
    // The first is its own.
    const FileFaults faults({1, FaultKind::kError, ENOLCK, "flock"});
    const auto file = make();
    EXPECT_EQ(faults.hit(), "flock");
    EXPECT_EQ(fs::exists(left), hours == 23);
    fs::remove(left);
  }
}

TEST_F(TemporaryFileTest, LeavesAloneWhatIsNoneOfItsOwn) {
  const std::string name = ".loci-0badcafe-2123456789abcdef.tmp";
  const std::string target = scratch_.write("mine", "mine");
  fs::create_symlink("mine", scratch_.path(name));
  ASSERT_EQ(::mkfifo(scratch_.path(".loci-x.tmp").c_str(), 0600), 0);
  fs::create_directory(scratch_.path(".loci-y.tmp"));
  scratch_.write(".loci-z.tmp.txt", "");
  age(target, 48);
  const auto file = make();
  EXPECT_EQ(scratch_.read("mine"), "mine");
  EXPECT_TRUE(fs::is_symlink(scratch_.path(name)));
  EXPECT_EQ(scratch_.entries(), 6U);
}

TEST_F(TemporaryFileTest, OneThatWasRemovedAtOnceIsMadeAgain) {
  // The fault looks as if another process had found the file without its lock.
  const FileFaults faults({0, FaultKind::kError, EWOULDBLOCK, "flock"});
  const auto file = make();
  EXPECT_EQ(faults.hit(), "flock");
  EXPECT_TRUE(fs::exists(file->path()));
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(TemporaryFileTest, AbsentDirectoryIsAnError) {
  EXPECT_THAT([&] { const TemporaryFile file(scratch_.path("absent"), 0666, "target"); },
              ThrowsMessage<Error>(HasSubstr("target: create: No such file")));
}

}  // namespace
}  // namespace loci::core
