#include "tools/loci/probe/file_content.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace loci::runner {
namespace {

namespace fs = std::filesystem;

class FileContentTest : public ::testing::Test {
 protected:
  FileContentTest() {
    std::string name = (fs::temp_directory_path() / "loci-content-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
  }
  ~FileContentTest() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::string directory_;
};

TEST_F(FileContentTest, TheSameBytesHaveOneDigest) {
  const std::string large(3 << 20, 'x');
  const auto first = read_content(write("a", large));
  const auto second = read_content(write("b", large));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->digest, second->digest);
  EXPECT_NE(first->identity.text, second->identity.text);
  EXPECT_NE(read_content(write("c", large + "x"))->digest, first->digest);
  EXPECT_EQ(read_content(write("d", ""))->digest, "cbf29ce484222325");
}

TEST_F(FileContentTest, AWriteShowsWhateverTimeItIsGiven) {
  const std::string file = write("a", "before");
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  const auto before = identify(file);
  ASSERT_TRUE(before);
  EXPECT_EQ(identify(file)->text, before->text);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a step of the clock
  (void)write("a", "behind");
  const timespec times[] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  EXPECT_NE(identify(file)->text, before->text);
}

TEST_F(FileContentTest, AFileJustWrittenIsNotSettled) {
  const std::string file = write("a", "text");
  EXPECT_FALSE(identify(file)->settled);
  EXPECT_TRUE(identify("/proc/self/exe")->settled);
}

TEST_F(FileContentTest, WhatIsNoFileHasNoContent) {
  EXPECT_FALSE(read_content(directory_));
  EXPECT_FALSE(identify(directory_));
  EXPECT_FALSE(read_content(path("absent")));
  EXPECT_FALSE(identify(path("absent")));
  EXPECT_FALSE(read_content("/dev/null"));
}

}  // namespace
}  // namespace loci::runner
