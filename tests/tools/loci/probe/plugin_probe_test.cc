#include "tools/loci/probe/plugin_probe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace loci::runner {
namespace {

using std::chrono::milliseconds;
using Outcome = ProbeResult::Outcome;

// Scripts in the place of the runner: what a child may report, well or not. The runner itself and
// real plugins are tested in tests/integration.
class PluginProbeTest : public ::testing::Test {
 protected:
  PluginProbeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "loci-probe-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
    candidate_.path = "/x/loci-x.so";
    candidate_.id = "org.example.x";
  }
  ~PluginProbeTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  ProbeResult probe(const std::string& script, milliseconds limit = std::chrono::seconds(60)) {
    const std::string program = directory_ + "/program";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return probe_plugin(candidate_, limit, program);
  }

  std::string directory_;
  plugins::Candidate candidate_;
};

TEST_F(PluginProbeTest, ReadsAGoodReport) {
  const ProbeResult result =
      probe(R"(echo "step create" >&3; echo 'result {"cause": "", "remedy": ""}' >&3)");
  EXPECT_EQ(result.outcome, Outcome::kGood);
  EXPECT_EQ(result.refusal.cause, "");
  EXPECT_FALSE(result.cached);
}

TEST_F(PluginProbeTest, PassesTheSubcommandAndTheFile) {
  const ProbeResult result =
      probe(R"(echo "result {\"cause\": \"$1 $2 $#\", \"remedy\": \"none\"}" >&3)");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.refusal.cause, "__probe /x/loci-x.so 2");
  EXPECT_EQ(result.refusal.remedy, "none");
}

TEST_F(PluginProbeTest, TheFirstResultCounts) {
  EXPECT_EQ(probe(R"(echo 'result {"cause": "first", "remedy": ""}' >&3
                     echo 'result {"cause": "", "remedy": ""}' >&3)")
                .refusal.cause,
            "first");
}

TEST_F(PluginProbeTest, AGoodResultIsNoneIfTheProcessEndsBadly) {
  const ProbeResult result =
      probe(R"(echo 'result {"cause": "", "remedy": ""}' >&3; echo "step exit" >&3; exit 9)");
  EXPECT_EQ(result.outcome, Outcome::kEnded);
  EXPECT_EQ(result.refusal.cause, "its clean-up at exit called exit(9)");
}

TEST_F(PluginProbeTest, MakesNothingOfWhatItDoesNotUnderstand) {
  const ProbeResult result = probe(
      R"(echo "step create" >&3; echo "result {" >&3; echo "result 7" >&3; echo "result" >&3
         echo 'result {"cause": 1, "remedy": 2}' >&3; echo "nonsense here" >&3; exit 2)");
  EXPECT_EQ(result.outcome, Outcome::kEnded);
  EXPECT_EQ(result.refusal.cause, "its create called exit(2)");
}

TEST_F(PluginProbeTest, AChildThatDoesNotBeginIsNotThePluginsFault) {
  const ProbeResult result = probe("exit 127");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.refusal.cause, "it could not be probed: the child process called exit(127)");
}

TEST_F(PluginProbeTest, LastWordsAreOneShortLine) {
  const ProbeResult result =
      probe("echo 'step probe' >&3; printf 'first\\n\\033[1mlast\\n\\n' >&2; kill -ABRT $$");
  EXPECT_EQ(result.refusal.cause, "its probe crashed with SIGABRT (its last words:  [1mlast)");
  const ProbeResult chatty =
      probe("echo 'step probe' >&3; head -c 5000 /dev/zero | tr '\\0' x >&2; kill -ABRT $$");
  EXPECT_EQ(chatty.refusal.cause,
            "its probe crashed with SIGABRT (its last words: " + std::string(200, 'x') + "...)");
}

TEST_F(PluginProbeTest, ReadsTheResultBehindAnyAmountOfSteps) {
  const ProbeResult result = probe(
      R"(seq 300000 | sed 's/^/step describe of x:/' >&3
         echo 'result {"cause": "it is so", "remedy": ""}' >&3)");
  EXPECT_EQ(result.refusal.cause, "it is so");
}

TEST_F(PluginProbeTest, OneThatWritesForEverIsBlamed) {
  const ProbeResult result = probe(R"(echo "step open of x:1" >&3; yes noise >&3)");
  EXPECT_EQ(result.outcome, Outcome::kEnded);
  EXPECT_EQ(result.refusal.cause.find("its open of x:1 wrote a line of more than 1 MiB, or more"),
            0U)
      << result.refusal.cause;
}

TEST_F(PluginProbeTest, LinesOfThePluginGiveItNoTime) {
  const ProbeResult result =
      probe(R"(echo "step open" >&3; while :; do echo "step open" >&3; sleep 0.1; done)",
            milliseconds(1000));
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
}

TEST_F(PluginProbeTest, SaysHowLongItWaited) {
  const ProbeResult result = probe("echo 'step load' >&3; sleep 600", milliseconds(1000));
  EXPECT_EQ(result.outcome, Outcome::kTimedOut);
  EXPECT_EQ(result.refusal.cause, "loading it did not return within 1 s");
  EXPECT_GE(result.duration, milliseconds(1000));
  EXPECT_EQ(result.refusal.remedy,
            "see whether its device or driver hangs, give it more time with --probe-timeout, or "
            "leave it out with --no-plugin org.example.x");
}

TEST_F(PluginProbeTest, NeedsAProgram) {
  EXPECT_THROW(probe_plugin(candidate_, milliseconds(1000), "/no/such/program"), std::system_error);
}

TEST_F(PluginProbeTest, NamesOutcomes) {
  EXPECT_EQ(outcome_name(Outcome::kTimedOut), "timed_out");
  ProbeResult result;
  result.duration = milliseconds(12);
  EXPECT_EQ(probe_text(result), "good, 12 ms");
  result.outcome = Outcome::kTimedOut;
  result.cached = true;
  EXPECT_EQ(probe_text(result), "timed out, seen before");
}

}  // namespace
}  // namespace loci::runner
