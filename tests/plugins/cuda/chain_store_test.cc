// Kernels of chains on the disk, and what becomes of files that are not as they were written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

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

}  // namespace
}  // namespace loci::cuda
