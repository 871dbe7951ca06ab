#include "tools/loci/fetch_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& argument) {
  return failure_of(ExitCode::kUsage, [&] { parse_fetch(argument); });
}

TEST(FetchSpecTest, ReadsANameAlone) {
  const FetchSpec spec = parse_fetch("prediction");
  EXPECT_EQ(spec.name, "prediction");
  EXPECT_EQ(spec.path, "");
}

TEST(FetchSpecTest, ReadsANameAndAFile) {
  const FetchSpec spec = parse_fetch("fc_0.out=@out/y=1.npy");
  EXPECT_EQ(spec.name, "fc_0.out");
  EXPECT_EQ(spec.path, "out/y=1.npy");
}

TEST(FetchSpecTest, RefusesOtherForms) {
  EXPECT_THAT(refusal(""), HasSubstr("the name is missing"));
  EXPECT_THAT(refusal("=@y.npy"), HasSubstr("the name is missing"));
  EXPECT_THAT(refusal("y=y.npy"), HasSubstr("NAME=@FILE.npy"));
  EXPECT_THAT(refusal("y=@"), HasSubstr("after '=' stands '@' and a file"));
}

TEST(CheckOutputsTest, AcceptsWhatCanBeWritten) {
  const std::string directory = ::testing::TempDir();
  EXPECT_NO_THROW(check_outputs({{"a", directory + "a.npy"}, {"b", ""}, {"c", ""}}));
}

TEST(CheckOutputsTest, RefusesTwoResultsInOneFile) {
  EXPECT_THAT(failure_of(ExitCode::kUsage,
                         [] {
                           check_outputs({{"a", "y.npy"}, {"b", "./y.npy"}});
                         }),
              HasSubstr("'./y.npy'"));
}

TEST(CheckOutputsTest, RefusesADirectoryThatIsNotThere) {
  EXPECT_THAT(failure_of(ExitCode::kFailed,
                         [] {
                           check_outputs({{"a", "no/such/dir/y.npy"}});
                         }),
              HasSubstr("directory 'no/such/dir'"));
}

TEST(RefuseOutputsTest, RefusesAFileAndSaysWhatToWrite) {
  EXPECT_NO_THROW(refuse_outputs({{"a", ""}}, "nothing is written"));
  EXPECT_EQ(failure_of(ExitCode::kUsage,
                       [] {
                         refuse_outputs({{"a", ""}, {"b", "b.npy"}}, "nothing is written");
                       }),
            "[--fetch] 'b=@b.npy': nothing is written; write b");
}

TEST(CheckOutputsTest, RefusesADirectoryAsFile) {
  EXPECT_THAT(failure_of(ExitCode::kFailed,
                         [] {
                           check_outputs({{"a", ::testing::TempDir()}});
                         }),
              HasSubstr("it is a directory"));
}

}  // namespace
}  // namespace loci::runner
