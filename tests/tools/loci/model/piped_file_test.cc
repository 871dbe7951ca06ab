#include "tools/loci/model/piped_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <loci/io.hpp>
#include <thread>

#include "tests/support/scratch_directory.h"
#include "tests/tools/loci/failing.h"
#include "tools/loci/model/array_file.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PipedFileTest : public ::testing::Test {
 protected:
  // A named pipe, through which that comes once.
  std::string pipe_with(const std::string& name, const std::string& bytes) {
    const std::string path = scratch_.path(name);
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    writer_ = std::jthread([path, bytes] { std::ofstream(path, std::ios::binary) << bytes; });
    return path;
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string array_bytes(const Tensor& tensor) {
    io::save_npy(scratch_.path("a.npy"), tensor);
    return bytes_of(scratch_.path("a.npy"));
  }
  std::string archive_bytes() {
    io::save_npz(scratch_.path("a.npz"),
                 {{"x", Tensor::scalar(1.0F)}, {"y", Tensor::scalar(2.0F)}});
    return bytes_of(scratch_.path("a.npz"));
  }

  test::ScratchDirectory scratch_;
  std::jthread writer_;
};

TEST_F(PipedFileTest, ThatIsWhatIsReadOnce) {
  EXPECT_TRUE(is_piped("-"));
  EXPECT_TRUE(is_piped("/dev/null"));
  EXPECT_FALSE(is_piped(scratch_.path("absent")));
  EXPECT_FALSE(is_piped(scratch_.write("file", "x")));
  EXPECT_FALSE(is_piped(scratch_.path()));
}

TEST_F(PipedFileTest, AnArrayComesThroughAPipe) {
  // Longer than a pipe holds.
  const std::vector<float> elements(200'000, 0.5F);
  const std::string path =
      pipe_with("array", array_bytes(Tensor::from(elements, {static_cast<std::int64_t>(200'000)})));
  EXPECT_EQ(load_array(parse_input_file(path)).to_vector<float>(), elements);
}

TEST_F(PipedFileTest, ArraysOfAnArchiveThatCameOnceAreReadOneByOne) {
  const std::string path = pipe_with("archive", archive_bytes());
  ArrayFile file = parse_input_file(path);
  file.array = "x";
  EXPECT_EQ(load_array(file).item<float>(), 1.0F);
  file.array = "y";
  EXPECT_EQ(load_array(file).item<float>(), 2.0F);
}

TEST_F(PipedFileTest, ErrorsNameWhatTheUserNamed) {
  const std::string path = pipe_with("bad", "this is no array at all");
  try {
    load_array(parse_input_file(path));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(path), HasSubstr("is not an npy file"), Not(HasSubstr("/proc"))));
  }
}

TEST_F(PipedFileTest, NothingIsNoArray) {
  EXPECT_THAT([] { load_array(parse_input_file("/dev/null")); },
              ::testing::ThrowsMessage<Error>(
                  AllOf(HasSubstr("/dev/null"), HasSubstr("0 bytes are too few"))));
}

TEST_F(PipedFileTest, StandardInputIsReadByItsShortName) {
  const int before = ::dup(STDIN_FILENO);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string bytes = archive_bytes();
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  ::dup2(ends[0], STDIN_FILENO);
  EXPECT_EQ(load_array(parse_input_file("-:y")).item<float>(), 2.0F);
  EXPECT_EQ(parse_input_file("-:y").text(), "-:y");
  EXPECT_EQ(read_piped("/dev/stdin").path, read_piped("-").path);
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
}

TEST_F(PipedFileTest, ATerminalIsRefused) {
  const int main = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(main, 0);
  ASSERT_EQ(::grantpt(main), 0);
  ASSERT_EQ(::unlockpt(main), 0);
  const std::string terminal = ::ptsname(main);
  EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { read_piped(terminal); }),
              HasSubstr("is a terminal"));
  ::close(main);
}

TEST_F(PipedFileTest, WhatCannotBeOpenedIsBadInput) {
  EXPECT_THAT(failure_of(ExitCode::kBadInput, [&] { read_piped(scratch_.path("absent")); }),
              HasSubstr("open: No such file"));
}

}  // namespace
}  // namespace loci::runner
