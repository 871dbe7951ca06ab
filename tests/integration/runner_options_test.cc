// Tests what the runner says to wrong options, names, feeds and outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/io.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <loci/version.hpp>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class OptionsTest : public RunnerTest {};

TEST_F(OptionsTest, HelpAndVersion) {
  for (const char* form : {"--help", "-h", "help"}) {
    const Finished finished = loci({form});
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.out, AllOf(StartsWith("usage: loci"), HasSubstr("Exit codes:")));
  }
  EXPECT_EQ(loci({"--version"}).out, "loci " + std::string(kVersion) + "\n");
}

TEST_F(OptionsTest, EverySubcommandHasHelp) {
  for (const char* name : {"run", "bench", "plan", "show", "plugins", "devices", "completion"}) {
    const Finished asked = loci({name, "--help"});
    EXPECT_EQ(asked.exit_code, 0);
    EXPECT_THAT(asked.out, StartsWith("usage: loci " + std::string(name)));
    EXPECT_EQ(loci({"help", name}).out, asked.out);
  }
}

TEST_F(OptionsTest, WrongCommandLinesAreUsage) {
  EXPECT_THAT(failure(2, {}), HasSubstr("a subcommand is missing"));
  EXPECT_THAT(failure(2, {"fly"}), HasSubstr("'fly'"));
  EXPECT_THAT(failure(2, {"help", "fly"}), HasSubstr("'fly'"));
  EXPECT_THAT(failure(2, {"run"}), HasSubstr("MODEL is missing"));
  EXPECT_THAT(failure(2, {"run", "m", "--frobnicate"}), HasSubstr("--frobnicate"));
  EXPECT_THAT(failure(2, {"run", "m", "--repeat", "0"}), HasSubstr("--repeat"));
  EXPECT_THAT(failure(2, {"show", "m", "--format", "svg"}), HasSubstr("text, dot, json"));
  EXPECT_THAT(failure(2, {"bench"}), HasSubstr("MODEL is missing"));
  EXPECT_THAT(failure(2, {"devices", "cpu"}), HasSubstr("loci devices --help"));
  EXPECT_THAT(failure(2, {"completion", "fish"}), HasSubstr("bash, zsh"));
  EXPECT_THAT(failure(2, {"plugins", "inspect"}), HasSubstr("needs a file"));
  EXPECT_THAT(failure(2, {"plugins", "prune"}), HasSubstr("prune"));
  EXPECT_THAT(failure(2, {"run", "m", "--log", "opera=debug"}), HasSubstr("'opera'"));
}

TEST_F(OptionsTest, ABadEnvironmentVariableIsUsage) {
  EXPECT_THAT(failure(2, {"show", inference_model()}, {"LOCI_LOG=operator=loud"}),
              HasSubstr("'loud'"));
}

TEST_F(OptionsTest, AGuardMayMeetAnyName) {
  const Program main;
  const ProgramGuard building(main, Program());
  const Variable y = relu(data("x", {2}, kFloat32));
  y.rename(std::string(100000, 'a'));
  io::save_program(path("long"), main, Program());
  const auto plan = [&](const std::string& guard) {
    return loci({"plan", path("long"), "--guard", guard}).exit_code;
  };
  EXPECT_EQ(plan("(a|b)+=cpu"), 0);
  EXPECT_EQ(plan(std::string(30000, '(') + "relu" + std::string(30000, ')') + "=cpu"), 0);
  EXPECT_EQ(plan("(a+)+b=cpu"), 2) << "matches nothing";
  EXPECT_EQ(plan(std::string(30000, '(') + "=cpu"), 2);
}

TEST_F(OptionsTest, AFeedOfAnUnknownNameIsUsage) {
  EXPECT_THAT(failure(2, {"run", inference_model(), "--feed", "X=1"}), HasSubstr("'X'"));
}

TEST_F(OptionsTest, AComputedVariableCannotBeFed) {
  EXPECT_THAT(failure(2, {"run", inference_model(), "--feed", "x=1", "--feed", "y=1"}),
              HasSubstr("'y' is computed"));
}

TEST_F(OptionsTest, AMissingFeedIsNamedWithItsType) {
  EXPECT_THAT(failure(2, {"run", inference_model()}),
              AllOf(HasSubstr("'x'"), HasSubstr("float32[-1, 3]"), HasSubstr("x=random:1x3")));
}

TEST_F(OptionsTest, AFetchOfAnUnknownNameIsUsage) {
  EXPECT_THAT(failure(2, {"run", inference_model(), "--feed", "x=1", "--fetch", "bets"}),
              HasSubstr("bets"));
}

TEST_F(OptionsTest, FeedsThatDoNotFitAreBadData) {
  const std::string model = inference_model();
  const std::string doubles = write_npy("f64.npy", Tensor::from<double>({1, 2, 3}, {1, 3}));
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + doubles}),
              AllOf(HasSubstr(doubles), HasSubstr("float64[1, 3]"), HasSubstr("float32[-1, 3]")));
  const std::string narrow = write_npy("narrow.npy", Tensor::from<float>({1, 2}, {1, 2}));
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + narrow}), HasSubstr("float32[1, 2]"));
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + path("no.npy")}), HasSubstr("no.npy"));
  const std::string torn = write("torn.npy", "\x93NUMPY\x01");
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + torn}), HasSubstr("torn.npy"));
}

TEST_F(OptionsTest, RandomAndNumbersThatDoNotFitAreUsage) {
  const std::string model = inference_model();
  EXPECT_THAT(failure(2, {"run", model, "--feed", "x=random"}), HasSubstr("unknown extents"));
  EXPECT_THAT(failure(2, {"run", model, "--feed", "x=random:2x2"}), HasSubstr("[2, 2]"));
  EXPECT_THAT(failure(2, {"run", model, "--feed", "x=cat"}), HasSubstr("'cat'"));
}

TEST_F(OptionsTest, AnAbsentDeviceIsNotAvailable) {
  EXPECT_THAT(failure(4, {"run", inference_model(), "--feed", "x=1", "--device", "warp:0"}),
              HasSubstr("warp"));
  EXPECT_THAT(failure(4, {"run", inference_model(), "--feed", "x=1", "--device", "cpu:7"}),
              HasSubstr("cpu"));
  EXPECT_THAT(failure(2, {"run", inference_model(), "--feed", "x=1", "--device", "cpu:x"}),
              HasSubstr("cpu:x"));
}

TEST_F(OptionsTest, NoPluginLeavesOnePluginOut) {
  EXPECT_THAT(
      failure(4, {"run", inference_model(), "--feed", "x=1", "--no-plugin", "org.loci.cpu"}),
      HasSubstr("cpu"));
}

TEST_F(OptionsTest, AnUnwritableOutputIsSaidBeforeAnythingIsWritten) {
  const std::string model = inference_model();
  EXPECT_THAT(failure(5, {"run", model, "--feed", "x=1", "--fetch", "y=@" + path("y.npy"),
                          "--fetch", "best=@" + path("no/dir/best.npy")}),
              AllOf(HasSubstr("best.npy"), HasSubstr("no/dir")));
  EXPECT_THAT(files(), ElementsAre("model"));
  EXPECT_THAT(failure(2, {"run", model, "--feed", "x=1", "--fetch", "y=@" + path("a.npy"),
                          "--fetch", "best=@" + path("a.npy")}),
              HasSubstr("two results"));
}

}  // namespace
}  // namespace loci::test
