#include "framework/profiler/aligned_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/path_text.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::path_text;
using test_support::RecordingBuilder;
using ::testing::ElementsAre;

std::vector<std::string> texts(const AlignedPaths& paths,
                               const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> result;
  for (const std::uint32_t number : numbers) result.push_back(path_text(paths.path(number)));
  return result;
}

TEST(AlignedPathsTest, EqualPathsHaveOneNumber) {
  const Profile a(RecordingBuilder().run("run", 0, 9).op("mul", "m", 1, 2).build());
  const Profile b(
      RecordingBuilder().run("run", 0, 9).op("add", "a", 1, 2).op("mul", "m", 2, 3).build());
  AlignedPaths paths(a.abi(), b.abi());
  const std::vector<std::uint32_t> of_a = paths.number(a.abi());
  const std::vector<std::uint32_t> of_b = paths.number(b.abi());
  EXPECT_EQ(of_a[0], of_b[0]);
  EXPECT_EQ(of_a[1], of_b[2]);
  EXPECT_NE(of_b[1], of_a[1]);
  EXPECT_THAT(texts(paths, of_b), ElementsAre("run", "run/a", "run/m"));
}

TEST(AlignedPathsTest, KindsTellNamesApart) {
  const Profile a(RecordingBuilder().user("mul", 0, 9).build());
  const Profile b(RecordingBuilder().framework("mul", 0, 9).build());
  AlignedPaths paths(a.abi(), b.abi());
  EXPECT_NE(paths.number(a.abi()), paths.number(b.abi()));
}

TEST(AlignedPathsTest, RunsThatOneSideHasArePassedThrough) {
  const Profile a(
      RecordingBuilder().user("u", 0, 9).run("replay", 1, 9).op("mul", "m", 1, 2).build());
  const Profile b(RecordingBuilder().user("u", 0, 9).op("mul", "m", 1, 2).build());
  AlignedPaths paths(a.abi(), b.abi());
  const std::vector<std::uint32_t> of_a = paths.number(a.abi());
  const std::vector<std::uint32_t> of_b = paths.number(b.abi());
  EXPECT_EQ(of_a[2], of_b[1]);
  EXPECT_THAT(texts(paths, of_a), ElementsAre("u", "u/replay", "u/m"));
}

TEST(AlignedPathsTest, PartsAreNamedByKindNameAndInstance) {
  const Profile a(RecordingBuilder().op("mul", "m", 0, 9).phase("compute", 1, 2).build());
  AlignedPaths paths(a.abi(), a.abi());
  EXPECT_THAT(
      paths.path(paths.number(a.abi())[1]),
      ElementsAre(PathPart{LOCI_SPAN_OP, "mul", "m"}, PathPart{LOCI_SPAN_PHASE, "compute", ""}));
}

}  // namespace
}  // namespace loci::profiler
