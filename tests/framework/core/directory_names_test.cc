#include "framework/core/directory_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/scratch_directory.h"

namespace loci::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DirectoryNamesTest, AreThoseOfFilesAndDirectoriesInOrder) {
  const test::ScratchDirectory directory;
  directory.write("b", "");
  directory.write(".hidden", "");
  std::filesystem::create_directory(directory.path("a"));
  directory.write("a/below", "");
  std::error_code error = std::make_error_code(std::errc::io_error);
  EXPECT_THAT(directory_names(directory.path(), error), ElementsAre(".hidden", "a", "b"));
  EXPECT_FALSE(error);
}

TEST(DirectoryNamesTest, OfAnEmptyDirectoryAreNone) {
  const test::ScratchDirectory directory;
  std::error_code error;
  EXPECT_THAT(directory_names(directory.path(), error), IsEmpty());
  EXPECT_FALSE(error);
}

TEST(DirectoryNamesTest, OfWhatIsNoDirectoryAreAnError) {
  const test::ScratchDirectory directory;
  std::error_code error;
  EXPECT_THAT(directory_names(directory.path("none"), error), IsEmpty());
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  EXPECT_THAT(directory_names(directory.write("file", ""), error), IsEmpty());
  EXPECT_EQ(error, std::errc::not_a_directory);
}

}  // namespace
}  // namespace loci::core
