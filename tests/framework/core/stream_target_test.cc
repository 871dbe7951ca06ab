#include "framework/core/stream_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <loci/error.hpp>

#include "framework/core/atomic_file.h"
#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

class StreamTargetTest : public ::testing::Test {
 protected:
  static void write(const std::string& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
  }

  test::ScratchDirectory scratch_;
};

TEST_F(StreamTargetTest, FilesAndWhatIsNotThereAreNoStreams) {
  EXPECT_EQ(open_stream_target(scratch_.write("file", "old")), nullptr);
  EXPECT_EQ(open_stream_target(scratch_.path("none")), nullptr);
  EXPECT_EQ(open_stream_target("/dev/fd/none"), nullptr);
  EXPECT_EQ(open_stream_target(scratch_.path("")), nullptr);
}

TEST_F(StreamTargetTest, WhatGoesToNullIsGone) { EXPECT_NO_THROW(write("/dev/null", "content")); }

TEST_F(StreamTargetTest, APipeGetsAllBytesAtTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  {
    AtomicFile file(fmt::format("/dev/fd/{}", ends[1]));
    file.write("abcdef", 6);
    file.write_at(1, "XY", 2);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::array<char, 16> early{};
    EXPECT_EQ(::read(ends[0], early.data(), early.size()), -1);
    file.commit();
  }
  std::array<char, 16> text{};
  EXPECT_EQ(::read(ends[0], text.data(), text.size()), 6);
  EXPECT_EQ(std::string_view(text.data(), 6), "aXYdef");
  ::close(ends[0]);
  ::close(ends[1]);
}

// A shell leads the standard output into a file in this way.
TEST_F(StreamTargetTest, ADescriptorOfAFileIsWrittenWhereItStands) {
  const int descriptor = ::open(scratch_.write("file", "old ").c_str(), O_WRONLY);
  ASSERT_GE(descriptor, 0);
  ::lseek(descriptor, 4, SEEK_SET);
  ::symlink(fmt::format("/proc/self/fd/{}", descriptor).c_str(), scratch_.path("link").c_str());
  write(scratch_.path("link"), "new");
  EXPECT_EQ(::write(descriptor, "er", 2), 2);
  ::close(descriptor);
  EXPECT_EQ(scratch_.read("file"), "old newer");
}

TEST_F(StreamTargetTest, ADescriptorThatIsNotOpenIsRefused) {
  EXPECT_THROW((void)open_stream_target("/dev/fd/999999"), Error);
}

}  // namespace
}  // namespace loci::core
