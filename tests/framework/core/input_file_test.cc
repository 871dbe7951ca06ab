#include "framework/core/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <loci/error.hpp>

#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

class InputFileTest : public ::testing::Test {
 protected:
  test::ScratchDirectory scratch_;
};

TEST_F(InputFileTest, ReadsPieces) {
  const InputFile file(scratch_.write("text", "hello world"));
  EXPECT_EQ(file.size(), 11U);
  EXPECT_EQ(file.path(), scratch_.path("text"));
  EXPECT_EQ(file.read_text(6, 5, "word"), "world");
  EXPECT_EQ(file.read_text(11, 0, "nothing"), "");
}

TEST_F(InputFileTest, KnowsWhetherItWasReplaced) {
  const InputFile file(scratch_.write("text", "old"));
  EXPECT_TRUE(file.has_its_name());
  std::filesystem::rename(scratch_.write("other", "new"), file.path());
  EXPECT_FALSE(file.has_its_name());
  std::filesystem::remove(file.path());
  EXPECT_FALSE(file.has_its_name());
  EXPECT_EQ(file.read_text(0, 3, "text"), "old");
}

TEST_F(InputFileTest, AbsentFileIsNotFound) {
  for (const char* name : {"absent", "absent/file"}) {
    EXPECT_THAT([&] { const InputFile file(scratch_.path(name)); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kNotFound),
                                    Property(&Error::what, HasSubstr(scratch_.path(name))))));
  }
}

TEST_F(InputFileTest, PartOfAPathThatIsAFileIsNotFound) {
  scratch_.write("file", "x");
  EXPECT_THAT([&] { const InputFile file(scratch_.path("file/inside")); },
              Throws<Error>(Property(&Error::code, ErrorCode::kNotFound)));
}

TEST_F(InputFileTest, DirectoryIsRefused) {
  EXPECT_THAT([&] { const InputFile file(scratch_.path()); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                  Property(&Error::what, HasSubstr("is a directory")))));
}

TEST_F(InputFileTest, PipeAndDeviceAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(scratch_.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { const InputFile file(scratch_.path("pipe")); },
              ThrowsMessage<Error>(HasSubstr("is a pipe, socket or device")));
  EXPECT_THAT([] { const InputFile file("/dev/zero"); },
              ThrowsMessage<Error>(HasSubstr("not a regular file")));
}

TEST_F(InputFileTest, ReadingPastTheEndNamesFieldAndPlace) {
  const InputFile file(scratch_.write("short", "12345"));
  EXPECT_THAT([&] { (void)file.read_text(2, 10, "header"); },
              Throws<Error>(AllOf(
                  Property(&Error::code, ErrorCode::kDataLoss),
                  Property(&Error::what,
                           HasSubstr("header: the file ends at byte 5, with 7 more to read")))));
}

TEST_F(InputFileTest, FileThatShrinksWhileItIsOpenIsTruncated) {
  const InputFile file(scratch_.write("shrinks", "12345"));
  std::filesystem::resize_file(scratch_.path("shrinks"), 2);
  EXPECT_THAT([&] { (void)file.read_text(0, file.size(), "data"); },
              ThrowsMessage<Error>(HasSubstr("truncated")));
}

}  // namespace
}  // namespace loci::core
