#include "tools/loci/model/fetch_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& argument) {
  return failure_of(ExitCode::kUsage, [&] { parse_fetch(argument); });
}

FetchSpec file(const std::string& name, const std::string& path) {
  return parse_fetch(name + "=@" + path);
}

TEST(FetchSpecTest, ReadsANameAlone) {
  const FetchSpec spec = parse_fetch("prediction");
  EXPECT_EQ(spec.name, "prediction");
  EXPECT_TRUE(spec.is_printed());
}

TEST(FetchSpecTest, ReadsANameAndAFile) {
  const FetchSpec spec = parse_fetch("fc_0.out=@out/y=1.npy");
  EXPECT_EQ(spec.name, "fc_0.out");
  EXPECT_EQ(spec.file.path, "out/y=1.npy");
  EXPECT_FALSE(spec.is_printed());
}

TEST(FetchSpecTest, ReadsAnArrayOfAnArchive) {
  EXPECT_EQ(parse_fetch("y=@out.npz:best").file.array, "best");
  EXPECT_EQ(parse_fetch("y=@out.npz").file.array, "y");
  EXPECT_EQ(parse_fetch("y=@out.npz").file.path, "out.npz");
  EXPECT_THAT(refusal("y=@out.npz:"), HasSubstr("the array is missing"));
}

TEST(FetchSpecTest, RefusesOtherForms) {
  EXPECT_THAT(refusal(""), HasSubstr("the name is missing"));
  EXPECT_THAT(refusal("=@y.npy"), HasSubstr("the name is missing"));
  EXPECT_THAT(refusal("y=y.npy"), HasSubstr("NAME=@FILE.npy"));
  EXPECT_THAT(refusal("y=@"), HasSubstr("after '=' stands '@' and a file"));
}

TEST(CheckOutputsTest, AcceptsWhatCanBeWritten) {
  const std::string directory = ::testing::TempDir();
  EXPECT_NO_THROW(check_outputs({file("a", directory + "a.npy"), {"b"}, {"c"}}));
}

TEST(CheckOutputsTest, RefusesTwoResultsInOneFile) {
  EXPECT_THAT(failure_of(ExitCode::kUsage,
                         [] {
                           check_outputs({file("a", "y.npy"), file("b", "./y.npy")});
                         }),
              HasSubstr("'./y.npy'"));
}

TEST(CheckOutputsTest, AnArchiveTakesSeveralArrays) {
  const std::string path = ::testing::TempDir() + "a.npz";
  EXPECT_NO_THROW(check_outputs({file("a", path), file("b", path), file("c", path + ":d")}));
  EXPECT_THAT(failure_of(ExitCode::kUsage,
                         [&] {
                           check_outputs({file("a", path), file("b", path + ":a")});
                         }),
              HasSubstr(path + ":a'; give each an array of its own"));
}

TEST(CheckOutputsTest, RefusesADirectoryThatIsNotThere) {
  EXPECT_THAT(
      failure_of(ExitCode::kFailed, [] { check_outputs({file("a", "no/such/dir/y.npy")}); }),
      HasSubstr("directory 'no/such/dir'"));
}

TEST(RefuseOutputsTest, RefusesAFileAndSaysWhatToWrite) {
  EXPECT_NO_THROW(refuse_outputs({{"a"}}, "nothing is written"));
  EXPECT_EQ(failure_of(ExitCode::kUsage,
                       [] {
                         refuse_outputs({{"a"}, file("b", "b.npy")}, "nothing is written");
                       }),
            "[--fetch] 'b=@b.npy': nothing is written; write b");
}

TEST(CheckOutputsTest, RefusesADirectoryAsFile) {
  EXPECT_THAT(
      failure_of(ExitCode::kFailed, [] { check_outputs({file("a", ::testing::TempDir())}); }),
      HasSubstr("it is a directory"));
}

}  // namespace
}  // namespace loci::runner
