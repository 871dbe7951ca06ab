// Files of a cache, and what becomes of those that are not as they were written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <loci/plugin/cache_folder.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/file_faults.h"
#include "tests/support/scratch_directory.h"

namespace loci::sdk {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using test::FaultKind;
using test::FileFault;
using test::FileFaults;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kTitle = "a device/0";
const std::string kKey = "its driver\nand settings";
const std::string kContent("1.5\n\0x", 6);

CacheRules some_rules() {
  CacheRules rules;
  rules.form = "sample-2";
  rules.suffix = ".sample";
  rules.file_bytes = 100'000;
  rules.folder_bytes = 1'000'000;
  return rules;
}

// Runs it in another process, and gives what it returns.
template <class F>
int exit_code_of(const F& run) {
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(run());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class CacheFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(keep(), "");
    ASSERT_EQ(find(), kContent);
  }

  [[nodiscard]] std::string keep() const { return cache.keep(kTitle, kKey, kContent); }
  [[nodiscard]] std::optional<std::string> find() const { return cache.find(kTitle, kKey); }
  [[nodiscard]] std::string read() const {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  // The file counts for nothing, and the next that is kept takes its place.
  void expect_replaced() const {
    EXPECT_EQ(find(), std::nullopt);
    EXPECT_EQ(keep(), "");
    EXPECT_EQ(find(), kContent);
  }

  test::ScratchDirectory directory;
  CacheFolder cache{directory.path("cache"), some_rules()};
  fs::path file = cache.path_of(kTitle, kKey);
};

TEST_F(CacheFolderTest, AFileHasAPlainNameAndALineOfItsForm) {
  EXPECT_THAT(file.filename().string(), AllOf(StartsWith("a_device_0-"), EndsWith(".sample")));
  EXPECT_THAT(read(), StartsWith("sample-2 "));
  const fs::path large = cache.path_of(std::string(300, 'x'), kKey);
  EXPECT_EQ(large.filename().string().size(), 200 + 17 + some_rules().suffix.size());
}

TEST_F(CacheFolderTest, FolderAndFilesAreForTheUserAlone) {
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(file.parent_path()).permissions(), fs::perms::owner_all);
}

TEST_F(CacheFolderTest, HasNothingOfAnotherTitleOrKey) {
  EXPECT_EQ(cache.find(kTitle, kKey + "."), std::nullopt);
  EXPECT_EQ(cache.find("another", kKey), std::nullopt);
  // Two keys may have one digest, and so one file.
  fs::rename(file, cache.path_of(kTitle, "another key"));
  EXPECT_EQ(cache.find(kTitle, "another key"), std::nullopt);
}

TEST_F(CacheFolderTest, WithoutAPathNothingIsKept) {
  const CacheFolder none("", some_rules());
  EXPECT_FALSE(none.keeps());
  EXPECT_EQ(none.keep(kTitle, kKey, kContent), "");
  EXPECT_EQ(none.find(kTitle, kKey), std::nullopt);
}

TEST_F(CacheFolderTest, WhatIsRemovedIsNotFound) {
  cache.remove(kTitle, kKey);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(find(), std::nullopt);
}

// One bit of each byte: of the line, of the key and of the content.
TEST_F(CacheFolderTest, ReplacesAFileWithAnyByteChanged) {
  const std::string good = read();
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write(bytes);
    expect_replaced();
  }
}

TEST_F(CacheFolderTest, ReplacesAFileOfAnyOtherLength) {
  const std::size_t size = read().size();
  for (std::size_t bytes = 0; bytes < size; ++bytes) {
    fs::resize_file(file, bytes);
    expect_replaced();
  }
  for (const std::size_t bytes : {size + 1, std::size_t{100'001}}) {
    fs::resize_file(file, bytes);
    expect_replaced();
  }
}

TEST_F(CacheFolderTest, ReplacesAFileOfAnotherFormOrOfOthers) {
  CacheRules newer = some_rules();
  newer.form = "sample-3";
  EXPECT_EQ(CacheFolder(directory.path("cache"), newer).find(kTitle, kKey), std::nullopt);
  for (const char* foreign : {"{}", "\n", "\n\n\n", "sample-2\n", "sample-2 0 0\n",
                              "\x7f"
                              "ELF"}) {
    write(foreign);
    expect_replaced();
  }
}

TEST_F(CacheFolderTest, AFileBeyondTheLimitIsNotFound) {
  EXPECT_EQ(cache.keep(kTitle, kKey, std::string(100'000, 'x')), "");
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(CacheFolderTest, DoesNotTrustWhatOthersMayWriteOrALink) {
  for (const fs::perms writable : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(file, writable, fs::perm_options::add);
    expect_replaced();
  }
  const fs::path elsewhere = directory.path("elsewhere");
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  expect_replaced();
  EXPECT_FALSE(fs::is_symlink(file));
}

// Who is root may give files away.
TEST_F(CacheFolderTest, DoesNotTrustAnotherUsersFile) {
  if (::chown(file.c_str(), 12345, static_cast<gid_t>(-1)) != 0) GTEST_SKIP() << "not as root";
  expect_replaced();
}

TEST_F(CacheFolderTest, DoesNotWaitForTheWriterOfAPipe) {
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_replaced();
}

TEST_F(CacheFolderTest, SaysWhyNothingCanBeWritten) {
  const std::string plain = directory.write("plain", "");
  const std::string below = CacheFolder(plain + "/cache", some_rules()).keep(kTitle, kKey, "x");
  EXPECT_THAT(below, AllOf(HasSubstr("making " + plain + "/cache: "), HasSubstr("directory")));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_THAT(keep(), AllOf(HasSubstr("writing " + file.string() + ": "), HasSubstr("directory")));
  EXPECT_EQ(find(), std::nullopt);
}

// Root may write into any folder.
TEST_F(CacheFolderTest, SaysThatAFolderMayNotBeWritten) {
  const int code = exit_code_of([&] {
    fs::permissions(file.parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
    if (::geteuid() == 0 && (::chown(file.parent_path().c_str(), 12345, 12345) != 0 ||
                             ::chown(directory.path().c_str(), 12345, 12345) != 0 ||
                             ::chown(file.c_str(), 12345, 12345) != 0 || ::setgid(12345) != 0 ||
                             ::setuid(12345) != 0)) {
      return 1;
    }
    if (::access(directory.path().c_str(), X_OK) != 0) return 3;
    const bool is_said = keep() == "writing " + file.string() + ": Permission denied";
    return is_said && find() == kContent ? 0 : 2;
  });
  fs::permissions(file.parent_path(), fs::perms::owner_all);
  if (code == 3) GTEST_SKIP() << "another user cannot reach the folder";
  EXPECT_EQ(code, 0);
}

TEST_F(CacheFolderTest, LeavesTheOldFileWhereTheDiskIsFullAtAnyCall) {
  for (const char* call : {"write", "fsync", "rename"}) {
    const FileFaults faults(FileFault{0, FaultKind::kError, ENOSPC, call});
    EXPECT_EQ(cache.keep(kTitle, kKey, "newer"),
              "writing " + file.string() + ": No space left on device");
    EXPECT_EQ(faults.hit(), call);
  }
  EXPECT_EQ(find(), kContent);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(CacheFolderTest, GoesOnWhereACallDidHalfOfItOrWasInterrupted) {
  {
    const FileFaults faults(FileFault{0, FaultKind::kHalf, 0, "write"});
    EXPECT_EQ(cache.keep(kTitle, kKey, "newer"), "");
    EXPECT_EQ(faults.hit(), "write");
  }
  EXPECT_EQ(find(), "newer");
  for (const char* call : {"write", "read"}) {
    const FileFaults faults(FileFault{0, FaultKind::kError, EINTR, call});
    EXPECT_EQ(keep(), "");
    EXPECT_EQ(find(), kContent);
    EXPECT_EQ(faults.hit(), call);
  }
}

// Writers that end in the middle change nothing.
TEST_F(CacheFolderTest, AWriterThatIsKilledLeavesTheOldFile) {
  for (const char* call : {"write", "fsync", "rename"}) {
    const int code = exit_code_of([&] {
      const FileFaults faults(FileFault{0, FaultKind::kExitBefore, 0, call});
      return keep().empty() ? 0 : 1;
    });
    EXPECT_EQ(code, test::kFaultExit) << call;
    EXPECT_EQ(find(), kContent) << call;
  }
}

TEST_F(CacheFolderTest, RemovesOldFilesOfWritersThatWereKilled) {
  const std::string old = directory.write("cache/x-1.sample.AbCdEf", "half");
  const std::string young = directory.write("cache/x-2.sample.AbCdEf", "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - hours(2));
  ASSERT_EQ(keep(), "");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

class CacheFolderSweepTest : public ::testing::Test {
 protected:
  // Three files of 1000 bytes and some, of which a was used last.
  void fill(const CacheRules& rules) {
    cache.emplace(directory.path("cache"), rules);
    for (const char title : {'a', 'b', 'c'}) {
      ASSERT_EQ(cache->keep({&title, 1}, kKey, text), "");
      fs::last_write_time(cache->path_of({&title, 1}, kKey),
                          fs::file_time_type::clock::now() - hours(title - 'a' + 1));
    }
  }
  // The titles that are found, without using their files.
  [[nodiscard]] std::string titles() const {
    std::string found;
    for (const char title : {'a', 'b', 'c', 'd'}) {
      if (fs::exists(cache->path_of({&title, 1}, kKey))) found += title;
    }
    return found;
  }

  test::ScratchDirectory directory;
  std::string text = std::string(1000, 'x');
  std::optional<CacheFolder> cache;
};

TEST_F(CacheFolderSweepTest, RemovesWhatWasNotUsedForLongestBeyondTheBytes) {
  CacheRules rules = some_rules();
  rules.folder_bytes = 3500;
  fill(rules);
  ASSERT_EQ(cache->find("c", kKey), text);  // used now
  ASSERT_EQ(cache->keep("d", kKey, text), "");
  EXPECT_EQ(titles(), "acd");
}

TEST_F(CacheFolderSweepTest, RemovesWhatIsBeyondTheNumberOfFiles) {
  CacheRules rules = some_rules();
  rules.files = 3;
  fill(rules);
  ASSERT_EQ(cache->keep("d", kKey, text), "");
  EXPECT_EQ(titles(), "abd");
}

TEST_F(CacheFolderSweepTest, RemovesWhatNobodyUsesAnyMore) {
  CacheRules rules = some_rules();
  rules.unused = std::chrono::minutes(150);
  fill(rules);
  ASSERT_EQ(cache->keep("d", kKey, text), "");
  EXPECT_EQ(titles(), "abd");
}

// Whoever reads finds all of one of the contents, or nothing.
TEST_F(CacheFolderTest, ServesProcessesAndThreadsAtOnce) {
  std::vector<pid_t> writers;
  for (const char letter : {'x', 'y'}) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) {
        if (!cache.keep(kTitle, kKey, std::string(20000, letter)).empty()) std::_Exit(1);
      }
      std::_Exit(0);
    }
    writers.push_back(child);
  }
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([this] {
      for (int n = 0; n < 200; ++n) {
        const std::string text = find().value_or("none");
        EXPECT_TRUE(text == kContent || text == std::string(20000, text[0])) << text.size();
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(CacheFolderOfUser, IsBelowTheCachesOfTheUser) {
  const auto with = [](const char* cache, const char* home) {
    return exit_code_of([&] {
      ::setenv("XDG_CACHE_HOME", cache, 1);
      ::setenv("HOME", home, 1);
      const std::array<std::string, 3> known{"", "/c/loci/peaks", "/h/.cache/loci/peaks"};
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (CacheFolder::of_user("peaks") == known[i]) return static_cast<int>(i);
      }
      return 9;
    });
  };
  EXPECT_EQ(with("/c", "/h"), 1);
  EXPECT_EQ(with("relative", "/h"), 2);
  EXPECT_EQ(with("", "/h"), 2);
  EXPECT_EQ(with("", "relative"), 0);
}

}  // namespace
}  // namespace loci::sdk
