#include "framework/plugin/plugin_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

#include "framework/plugin/elf_note.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

class PluginFileTest : public testing::Test {
 protected:
  PluginFileTest() : path_(folder_.add("minimal")) {}

  static void expect_changed(const PluginFile& file) {
    const LoadError error = load_error_of([&file] { file.require_unchanged(); });
    EXPECT_EQ(error.code(), ErrorCode::kFailed);
    EXPECT_EQ(error.cause(), "the file was changed or replaced after it was checked");
    EXPECT_THAT(error.remedy(), HasSubstr("start again"));
  }

  test::PluginFolder folder_;
  test::fs::path path_;
};

TEST_F(PluginFileTest, IsReadThroughOneDescriptor) {
  PluginFile file(path_.string());
  const std::string before = read_manifest_note(path_.string());
  test::fs::remove(path_);
  test::write_file(path_, "another");
  EXPECT_EQ(read_manifest_note(file.descriptor()), before);
  EXPECT_FALSE(read_build_id(file.descriptor()).empty());
  EXPECT_NE(::fcntl(file.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  const int number = file.descriptor();
  file.close();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST_F(PluginFileTest, StaysWhatItIs) {
  PluginFile file(path_.string());
  file.close();
  EXPECT_NO_THROW(file.require_unchanged());
}

TEST_F(PluginFileTest, SeesAnotherFileInItsPlace) {
  const PluginFile file(path_.string());
  test::fs::copy_file(path_, folder_.path() / "copy");
  test::fs::rename(folder_.path() / "copy", path_);
  expect_changed(file);
}

TEST_F(PluginFileTest, SeesAnotherDirectoryOnTheWay) {
  const test::fs::path upper = folder_.path() / "upper";
  test::fs::create_directory(upper);
  ::chmod(upper.c_str(), 0755);
  test::fs::copy_file(path_, upper / "loci-x.so");
  const PluginFile file((upper / "loci-x.so").string());
  test::fs::rename(upper, folder_.path() / "aside");
  test::fs::create_directory(upper);
  ::chmod(upper.c_str(), 0755);
  test::fs::copy_file(path_, upper / "loci-x.so");
  expect_changed(file);
}

TEST_F(PluginFileTest, SeesAWriteWhoseTimeWasSetBack) {
  struct stat before {};
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  const PluginFile file(path_.string());
  ::usleep(20'000);  // the clock of a file system goes in steps
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(descriptor, "x", 1, 5000), 1);
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::futimens(descriptor, times), 0);
  ::close(descriptor);
  expect_changed(file);
}

TEST_F(PluginFileTest, SeesThatOthersMayChangeItByNow) {
  const PluginFile file(path_.string());
  ::chmod(folder_.path().c_str(), 0777);
  EXPECT_THAT(load_error_of([&file] { file.require_unchanged(); }).cause(),
              HasSubstr("world-writable"));
}

TEST_F(PluginFileTest, IsNoLink) {
  const test::fs::path link = folder_.path() / "link.so";
  test::fs::create_symlink(path_, link);
  EXPECT_THAT(load_error_of([&link] { const PluginFile file(link.string()); }).cause(),
              HasSubstr("cannot be opened: Too many levels of symbolic links"));
}

TEST_F(PluginFileTest, IsARegularFile) {
  const test::fs::path directory = folder_.path() / "directory.so";
  test::fs::create_directory(directory);
  ::chmod(directory.c_str(), 0755);
  EXPECT_EQ(load_error_of([&] { const PluginFile file(directory.string()); }).cause(),
            "it is not a regular file");
  EXPECT_EQ(load_error_of([] { const PluginFile file("/no/such/plugin.so"); }).code(),
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace loci::plugin
