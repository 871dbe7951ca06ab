// loci run with a profile, and loci profile: reports, comparisons, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RunnerProfileTest : public RunnerTest {
 protected:
  using Arguments = std::vector<std::string>;

  // The program that ships with examples/device_guard, ten times as written.
  static Arguments crop(const Arguments& more) {
    Arguments arguments{"run",  kCropProgram, "--device", "sim:0",   "--optimize",
                        "none", "--repeat",   "10",       "--fetch", "crop_tensor_0.out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // A saved profile of it.
  std::string profile(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments = crop({"--warmup", "1", "--profile-path", path(name)});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = loci(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return path(name);
  }
  static std::string line_with(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return {};
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  }
};

TEST_F(RunnerProfileTest, PrintsTheClassicReportBehindTheResults) {
  const Finished finished = loci(crop({"--profile", "all", "--sorted-key", "total"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_LT(finished.out.find("crop_tensor_0.out"), finished.out.find("Profiling Report"));
  EXPECT_THAT(finished.out, AllOf(HasSubstr("Place: All"), HasSubstr("Sorted by total time"),
                                  HasSubstr("GpuMemCpy Summary"), HasSubstr("crop_tensor")));
  EXPECT_THAT(line_with(finished.out, "GpuMemcpySync  "), HasSubstr("Calls: 20"));
}

TEST_F(RunnerProfileTest, AGuardTakesTheCopiesOutOfIt) {
  const Finished finished = loci(crop({"--profile", "all", "--guard", "slice=cpu"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, Not(HasSubstr("GpuMemcpySync")));
}

TEST_F(RunnerProfileTest, MakesReportsOfASavedProfile) {
  const std::string saved = profile("run.profile");
  const Finished classic = loci({"profile", "report", saved});
  EXPECT_EQ(classic.exit_code, 0) << classic.err;
  EXPECT_THAT(line_with(classic.out, "GpuMemcpySync  "), HasSubstr("Calls: 20"));
  const Finished both = loci({"profile", "report", saved, "--reporter", "summary", "--reporter",
                              "json=" + path("run.json")});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_NE(both.out, "");
  EXPECT_TRUE(json::parse(read("run.json")).is_object());
}

// They are the report's: the profile is the same whatever report is made of it.
TEST_F(RunnerProfileTest, ASavedProfileHasNoStateOrKeyOfTheClassicReport) {
  const std::string saved = path("run.profile");
  const Finished live =
      loci(crop({"--profile", "cpu", "--sorted-key", "total", "--profile-path", saved}));
  EXPECT_THAT(live.out, AllOf(HasSubstr("Place: CPU"), HasSubstr("Sorted by total time")));
  const Finished later = loci({"profile", "report", saved});
  EXPECT_THAT(later.out, AllOf(HasSubstr("Place: All"), HasSubstr("Sorted by event first end")));
  const Finished same =
      loci({"profile", "report", saved, "--reporter", "classic:state=cpu,sorted_key=total"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(live.out, HasSubstr(same.out));
}

TEST_F(RunnerProfileTest, ComparesTwo) {
  const std::string plain = profile("plain.profile");
  const std::string guarded = profile("guarded.profile", {"--guard", "slice=cpu"});
  const Finished text = loci({"profile", "diff", plain, guarded});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("shape_0.out"), HasSubstr("slice_0.out")));
  const json diff = loci_json({"profile", "diff", plain, guarded, "--json"});
  EXPECT_EQ(diff["waited_transfers"]["a"]["calls"], 20);
  EXPECT_EQ(diff["waited_transfers"]["b"]["calls"], 0);
}

TEST_F(RunnerProfileTest, RegressionsAreAViolation) {
  const std::string plain = profile("plain.profile");
  const Finished slow = loci(crop({"--warmup", "1", "--profile-path", path("slow.profile")}),
                             {"LOCI_SIM_LAUNCH_US=3000"});
  ASSERT_EQ(slow.exit_code, 0) << slow.err;
  const Finished worse =
      loci({"profile", "diff", plain, path("slow.profile"), "--fail-above", "50"});
  EXPECT_EQ(worse.exit_code, 6);
  EXPECT_THAT(worse.err, HasSubstr("took more than 50 % longer"));
  EXPECT_EQ(loci({"profile", "diff", path("slow.profile"), plain, "--fail-above", "50"}).exit_code,
            0);
}

TEST_F(RunnerProfileTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(failure(2, crop({"--profile", "tpu"})),
              HasSubstr("'tpu' is no state; there are CPU, GPU, All"));
  EXPECT_THAT(failure(2, crop({"--profile", "all", "--tracer-option", "most"})),
              HasSubstr("'most' is no tracer option"));
  EXPECT_THAT(failure(2, crop({"--profile", "all", "--sorted-key", "best"})),
              HasSubstr("'best' is no sorted key"));
  EXPECT_THAT(failure(2, crop({"--reporter", "clasic"})),
              HasSubstr("there is no reporter 'clasic'; did you mean 'classic'"));
  EXPECT_THAT(failure(2, crop({"--profile", "all", "--json"})),
              HasSubstr("[--reporter] 'classic' would write to standard output"));
}

TEST_F(RunnerProfileTest, RefusesTwoOutputsInOneFile) {
  const std::string out = path("run.out");
  const auto refused = AllOf(HasSubstr("would both be the file '" + out + "'"),
                             HasSubstr("give each a file of its own"));
  std::filesystem::create_symlink("run.out", path("link"));
  EXPECT_THAT(
      failure(2, crop({"--reporter", "json=" + out, "--reporter", "summary=" + path("link")})),
      AllOf(HasSubstr("'json'"), HasSubstr("'summary'"), refused));
  EXPECT_THAT(failure(2, crop({"--reporter", "json=" + out, "--profile-path", path("./run.out")})),
              AllOf(HasSubstr("the profile"), HasSubstr("'json'"), refused));
  EXPECT_FALSE(std::filesystem::exists(out));
  const std::string saved = profile("run.profile");
  const std::string before = read_file(saved);
  EXPECT_THAT(failure(2, {"profile", "report", saved, "--reporter", "json=" + saved}),
              HasSubstr("would both be the file '" + saved + "'"));
  EXPECT_THAT(failure(2, {"profile", "report", saved, "--reporter", "json=" + out, "--reporter",
                          "summary=" + out}),
              refused);
  EXPECT_EQ(read_file(saved), before);
}

TEST_F(RunnerProfileTest, AReportThatCannotBeWrittenCostsNothingElse) {
  const Finished finished = loci(crop({"--profile-path", path("kept.profile"), "--reporter",
                                       "json=" + path("none/run.json"), "--reporter", "summary"}));
  EXPECT_EQ(finished.exit_code, 5);
  EXPECT_THAT(finished.out, HasSubstr("crop_tensor_0.out"));
  EXPECT_THAT(finished.err, HasSubstr("the report 'json' could not be made"));
  EXPECT_EQ(loci({"profile", "report", path("kept.profile")}).exit_code, 0);
}

TEST_F(RunnerProfileTest, RefusesFilesThatAreNoProfile) {
  EXPECT_THAT(failure(3, {"profile", "report", path("none")}), HasSubstr(path("none")));
  const std::string text = write("text", "not a profile");
  EXPECT_THAT(failure(3, {"profile", "report", text}), HasSubstr(text));
  const std::string whole = read_file(profile("whole.profile"));
  const std::string cut = write("cut.profile", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(failure(3, {"profile", "diff", cut, path("whole.profile")}), HasSubstr(cut));
}

TEST_F(RunnerProfileTest, RefusesOptionsOfTheOtherAction) {
  const std::string saved = profile("run.profile");
  EXPECT_THAT(failure(2, {"profile", "diff", saved}), HasSubstr("'profile diff' needs two files"));
  EXPECT_THAT(failure(2, {"profile", "report", saved, saved}),
              HasSubstr("'profile report' takes one file"));
  EXPECT_THAT(failure(2, {"profile", "report", saved, "--fail-above", "3"}),
              HasSubstr("[--fail-above] is not for 'profile report'"));
  EXPECT_THAT(failure(2, {"profile", "diff", saved, saved, "--fail-above", "much"}),
              HasSubstr("'much' is no percentage"));
}

}  // namespace
}  // namespace loci::test
