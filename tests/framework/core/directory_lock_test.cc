#include "framework/core/directory_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <loci/error.hpp>
#include <optional>
#include <thread>

#include "tests/support/file_faults.h"
#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

using namespace std::chrono_literals;
using test::FaultKind;
using test::FileFaults;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class DirectoryLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!DirectoryLock(scratch_.path()).is_held()) {
      GTEST_SKIP() << "the file system of " << scratch_.path() << " has no locks";
    }
  }

  test::ScratchDirectory scratch_;
};

TEST_F(DirectoryLockTest, IsHeldByOne) {
  std::optional<DirectoryLock> first(scratch_.path());
  EXPECT_TRUE(first->is_held());
  EXPECT_THAT([&] { DirectoryLock(scratch_.path(), 10ms); },
              ThrowsMessage<Error>(HasSubstr(
                  scratch_.path() + ": lock: another process or thread has been saving here")));
  first.reset();
  EXPECT_TRUE(DirectoryLock(scratch_.path(), 0ms).is_held());
}

TEST_F(DirectoryLockTest, WaitsForTheOther) {
  std::optional<DirectoryLock> first(scratch_.path());
  std::atomic<bool> is_free{false};
  std::thread other([&] {
    const DirectoryLock second(scratch_.path());
    EXPECT_TRUE(is_free.load());
  });
  std::this_thread::sleep_for(30ms);
  is_free = true;
  first.reset();
  other.join();
}

TEST_F(DirectoryLockTest, AProcessThatDiesGivesItBack) {
  const pid_t child = ::fork();
  if (child == 0) {
    const DirectoryLock lock(scratch_.path());
    std::_Exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(DirectoryLock(scratch_.path(), 0ms).is_held());
}

TEST_F(DirectoryLockTest, AForkedProcessDoesNotKeepIt) {
  std::optional<DirectoryLock> lock(scratch_.path());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    std::_Exit(0);
  }
  lock.reset();
  EXPECT_TRUE(DirectoryLock(scratch_.path(), 0ms).is_held());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(DirectoryLockTest, IsNotHeldWhereThereAreNone) {
  for (const int error : {ENOLCK, ENOTSUP, EBADF}) {
    const FileFaults faults({0, FaultKind::kError, error, "flock"});
    EXPECT_FALSE(DirectoryLock(scratch_.path()).is_held());
  }
  const FileFaults faults({0, FaultKind::kError, EIO, "fstatfs"});
  EXPECT_FALSE(DirectoryLock(scratch_.path()).is_held());
}

TEST_F(DirectoryLockTest, AbsentDirectoryIsAnError) {
  EXPECT_THAT([&] { DirectoryLock(scratch_.path("absent")); },
              ThrowsMessage<Error>(HasSubstr("absent: open: No such file")));
}

}  // namespace
}  // namespace loci::core
