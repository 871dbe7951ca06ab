// Kernels of chains on the disk, and what becomes of files that are not as they were written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cuda/chain_store.h"
#include "tests/support/scratch_directory.h"

namespace loci::cuda {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kName = "fused_mul_add";
const std::string kKey = "the plugin, the compiler and the source";
const std::string kPtx = ".version 9.0\n.target sm_90\n";

class ChainStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(store.keep(kName, kKey, kPtx), "");
    ASSERT_EQ(store.find(kName, kKey), kPtx);
    file = fs::directory_iterator(directory.path())->path();
  }

  void change_bytes(std::uint64_t at, const std::string& bytes) const {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << bytes;
  }
  // Expects that the next chain that is kept takes the place of what is there.
  void expect_replaced() const {
    EXPECT_EQ(store.find(kName, kKey), std::nullopt);
    EXPECT_EQ(store.keep(kName, kKey, kPtx), "");
    EXPECT_EQ(store.find(kName, kKey), kPtx);
  }

  test::ScratchDirectory directory;
  ChainStore store{directory.path()};
  fs::path file;
};

TEST_F(ChainStoreTest, IsNamedByTheKernelAndReadableByTheUserAlone) {
  EXPECT_THAT(file.filename().string(), AllOf(HasSubstr("fused_mul_add-"), HasSubstr(".ptx")));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ChainStoreTest, HasNothingOfAnotherKeyOrName) {
  EXPECT_EQ(store.find(kName, kKey + "."), std::nullopt);
  EXPECT_EQ(store.find("fused_mul", kKey), std::nullopt);
  EXPECT_EQ(ChainStore("").find(kName, kKey), std::nullopt);
  EXPECT_EQ(ChainStore("").keep(kName, kKey, kPtx), "");
}

// One bit of the text, of the key and of each part of the heading.
TEST_F(ChainStoreTest, ReplacesAFileWithAnyByteChanged) {
  const std::uint64_t size = fs::file_size(file);
  for (std::uint64_t at = 0; at < size; at += 5) {
    const std::string bytes = directory.read(file.filename().string());
    change_bytes(at, std::string(1, static_cast<char>(bytes[at] ^ 4)));
    expect_replaced();
  }
}

TEST_F(ChainStoreTest, ReplacesAFileOfAnyOtherLength) {
  const std::uint64_t size = fs::file_size(file);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{40}, size - 1,
                                    size + 1, std::uint64_t{9} << 20}) {
    fs::resize_file(file, bytes);
    expect_replaced();
  }
}

TEST_F(ChainStoreTest, DoesNotTrustWhatOthersMayWriteOrALink) {
  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  expect_replaced();
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  expect_replaced();
  const fs::path elsewhere = directory.path("elsewhere");
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  expect_replaced();
  EXPECT_FALSE(fs::is_symlink(file));
}

// Who is root may give files away.
TEST_F(ChainStoreTest, DoesNotTrustAnotherUsersFile) {
  if (::chown(file.c_str(), 12345, static_cast<gid_t>(-1)) != 0) GTEST_SKIP() << "not as root";
  expect_replaced();
}

TEST_F(ChainStoreTest, SaysWhyNothingCanBeWritten) {
  const std::string plain = directory.write("plain", "");
  const std::string below = ChainStore(plain + "/cache").keep(kName, kKey, kPtx);
  EXPECT_THAT(below, AllOf(HasSubstr("making " + plain + "/cache: "), HasSubstr("directory")));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_THAT(store.keep(kName, kKey, kPtx),
              AllOf(HasSubstr("writing " + file.string() + ": "), HasSubstr("directory")));
  EXPECT_EQ(store.find(kName, kKey), std::nullopt);
}

// A limit of the process stands for a file system that is full.
TEST_F(ChainStoreTest, LeavesNothingOfAFileThatDoesNotFit) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 10, 1 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string failure = store.keep("large", kKey, std::string(1 << 12, 'x'));
    std::_Exit(failure.find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(directory.entries(), 1U);
}

TEST_F(ChainStoreTest, RemovesWhatWasNotUsedForLongest) {
  const auto now = fs::file_time_type::clock::now();
  const std::string text(1000, 'x');
  const ChainStore small(directory.path("small"), 3500);
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(small.keep(name, kKey, text), "");
  for (const auto& entry : fs::directory_iterator(directory.path("small"))) {
    const char first = entry.path().filename().string().front();
    fs::last_write_time(entry.path(), now - std::chrono::hours('d' - first));
  }
  ASSERT_EQ(small.find("a", kKey), text);  // used now
  ASSERT_EQ(small.keep("d", kKey, text), "");
  EXPECT_EQ(small.find("a", kKey), text);
  EXPECT_EQ(small.find("b", kKey), std::nullopt);
  EXPECT_EQ(small.find("c", kKey), text);
  EXPECT_EQ(small.find("d", kKey), text);
}

TEST_F(ChainStoreTest, RemovesOldFilesOfWritersThatWereKilled) {
  const std::string old = directory.write("fused-1.ptx.AbCdEf", "half");
  const std::string young = directory.write("fused-2.ptx.AbCdEf", "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_EQ(store.keep(kName, kKey, kPtx), "");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

// Whoever reads finds all of one of the texts, or nothing.
TEST_F(ChainStoreTest, ServesProcessesAndThreadsAtOnce) {
  std::vector<pid_t> writers;
  for (const char letter : {'x', 'y'}) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) {
        if (!store.keep(kName, kKey, std::string(20000, letter)).empty()) std::_Exit(1);
      }
      std::_Exit(0);
    }
    writers.push_back(child);
  }
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([this] {
      for (int n = 0; n < 200; ++n) {
        const std::string text = store.find(kName, kKey).value_or("none");
        EXPECT_TRUE(text == kPtx || text == std::string(20000, text[0])) << text.size();
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

}  // namespace
}  // namespace loci::cuda
