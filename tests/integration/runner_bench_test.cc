// loci bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/integration/live_process.h"
#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchTest : public RunnerTest {};

TEST_F(BenchTest, JsonHasTheFiguresInOrder) {
  const json report = loci_json({"bench", inference_model(), "--feed", "x=random:8x3", "--repeat",
                                 "50", "--warmup", "5", "--json"});
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["runs"], 50);
  EXPECT_EQ(report["warmup"], 5);
  EXPECT_EQ(report["feeds"][0]["shape"], json({8, 3}));
  const json latency = report["latency_us"];
  EXPECT_GT(latency["min"], 0);
  EXPECT_LE(latency["min"], latency["median"]);
  EXPECT_LE(latency["min"], latency["mean"]);
  EXPECT_LE(latency["median"], latency["p90"]);
  EXPECT_LE(latency["p90"], latency["p99"]);
  EXPECT_LE(latency["p99"], latency["max"]);
  EXPECT_GT(report["compile_us"], 0);
  EXPECT_GT(report["first_run_us"], 0);
}

TEST_F(BenchTest, ThroughputCountsSamples) {
  const json report =
      loci_json({"bench", inference_model(), "--feed", "x=random:8x3", "--repeat", "20", "--json"});
  const double runs = report["throughput"]["runs_per_s"];
  EXPECT_NEAR(runs * report["latency_us"]["mean"].get<double>(), 1e6, 1);
  EXPECT_EQ(report["throughput"]["batch"], 8);
  EXPECT_NEAR(report["throughput"]["samples_per_s"].get<double>() / runs, 8, 1e-9);
}

TEST_F(BenchTest, MemoryPeakHoldsTheFeeds) {
  // 3 MiB of feeds, and as much for each of two intermediate values as it is written.
  const json memory = loci_json({"bench", inference_model(), "--feed", "x=random:262144x3",
                                 "--repeat", "2", "--json"})["memory"];
  EXPECT_GE(memory["device_peak_bytes"], 6 << 20);
  EXPECT_GE(memory["process_peak_bytes"], memory["device_peak_bytes"]);
  EXPECT_GE(memory["device_peak_bytes"], memory["arena_bytes"]);
  EXPECT_GE(memory["arena_bytes"], memory["live_bytes"]);
  const json written = loci_json({"bench", inference_model(), "--feed", "x=random:262144x3",
                                  "--repeat", "2", "--optimize", "none", "--json"})["memory"];
  EXPECT_GE(written["live_bytes"], 3 << 20);
  EXPECT_GE(written["arena_bytes"], written["live_bytes"]);
}

// Copies that a plan makes of a feed are the feed's.
TEST_F(BenchTest, TransfersAreWithoutTheFeed) {
  const std::string model = inference_model();
  const std::vector<std::string> options = {"--guard", "elementwise_mul=sim", "--feed",
                                            "x=random:8x3", "--json"};
  std::vector<std::string> bench = {"bench", model, "--repeat", "2"};
  std::vector<std::string> plan = {"plan", model};
  for (std::vector<std::string>* arguments : {&bench, &plan}) {
    arguments->insert(arguments->end(), options.begin(), options.end());
  }
  std::uint64_t feeds = 0;
  std::uint64_t others = 0;
  const json planned = loci_json(plan);
  for (const json& copy : planned["transfers"]) {
    ++(copy["reason"] == "feed" ? feeds : others);
  }
  EXPECT_EQ(feeds, 1U);
  EXPECT_EQ(loci_json(bench)["transfers"]["count"], others);
}

TEST_F(BenchTest, TellsWhichKernelsWerePrepared) {
  const json report =
      loci_json({"bench", inference_model(), "--feed", "x=random:4x3", "--repeat", "3", "--json"});
  ASSERT_FALSE(report["preparations"].empty());
  EXPECT_EQ(report["preparations"][0]["kernel"].get<std::string>().rfind("org.loci.cpu/", 0), 0U);
  EXPECT_GT(report["preparations"][0]["us"], 0);
}

TEST_F(BenchTest, TransfersOfEachRunAreCounted) {
  const json report =
      loci_json({"bench", inference_model(), "--plugin", kToyPlugin, "--device", "toy",
                 "--fallback", "allow", "--feed", "x=random:2x3", "--repeat", "3", "--json"});
  EXPECT_GT(report["transfers"]["count"], 0);
  EXPECT_EQ(report["transfers"]["bytes"].get<int>(), report["transfers"]["count"].get<int>() * 24);
}

TEST_F(BenchTest, TextSaysItAtAGlance) {
  const Finished finished =
      loci({"bench", inference_model(), "--feed", "x=random:4x3", "--repeat", "7"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("latency of 7 runs, after 10 to warm up"), HasSubstr("p90"),
                    HasSubstr("p99"), HasSubstr("median"), HasSubstr("samples/s (4 a run)"),
                    HasSubstr("memory peak"), HasSubstr("compilation"),
                    HasSubstr("preparation  of kernels "), HasSubstr("transfers")));
  EXPECT_THAT(finished.out, Not(HasSubstr("y:")));
}

TEST_F(BenchTest, AModelWithoutOpenExtentsHasNoSamples) {
  const json report =
      loci_json({"bench", value_shaped_model(), "--feed", "x=1", "--repeat", "3", "--json"});
  EXPECT_EQ(report["throughput"]["batch"], 1);
}

TEST_F(BenchTest, BadInputIsSaidAsByRun) {
  const std::string model = inference_model();
  EXPECT_THAT(failure(2, {"bench", model}), AllOf(HasSubstr("'x'"), HasSubstr("float32[-1, 3]")));
  EXPECT_THAT(failure(2, {"bench", model, "--feed", "x=1", "--repeat", "0"}),
              HasSubstr("[--repeat] '0'"));
  EXPECT_THAT(failure(2, {"bench", model, "--feed", "x=1", "--fetch", "y=@y.npy"}),
              HasSubstr("a benchmark writes no results; write y"));
  EXPECT_THAT(failure(3, {"bench", path("nowhere"), "--feed", "x=1"}), HasSubstr("nowhere"));
  EXPECT_THAT(failure(4, {"bench", model, "--feed", "x=1", "--device", "warp"}),
              HasSubstr("'warp:0'"));
}

TEST_F(BenchTest, SaysWhatIsKnownBeforeTheTimedRuns) {
  LiveProcess bench({build_path("bin/loci"), "bench", inference_model(), "--feed", "x=random:8x3",
                     "--repeat", "2000000000"},
                    OutputEnd::kPipe);
  EXPECT_THAT(bench.read_until("first run"),
              AllOf(HasSubstr("device cpu"), HasSubstr("feed x float32[8, 3]"),
                    HasSubstr("\ncompilation  ")));
  EXPECT_TRUE(bench.is_running());
}

// After a second most machines are at it; where not, the next try has more time.
TEST_F(BenchTest, CtrlCPrintsWhatWasMeasuredAndEndsBySignal) {
  const std::string model = inference_model();
  Finished finished;
  for (const char* seconds : {"1", "5", "25", "125"}) {
    finished = run_process({"/usr/bin/timeout", "--preserve-status", "-s", "INT", seconds,
                            build_path("bin/loci"), "bench", model, "--feed", "x=random:8x3",
                            "--repeat", "2000000000"});
    EXPECT_EQ(finished.exit_code, 128 + SIGINT) << finished.err;
    if (finished.out.find("latency") == std::string::npos) continue;
    EXPECT_THAT(finished.out, AllOf(HasSubstr(" runs of 2000000000, until Ctrl-C, after 10"),
                                    HasSubstr("throughput"), HasSubstr("memory peak")));
    break;
  }
  EXPECT_NE(finished.out, "") << finished.err;
}

}  // namespace
}  // namespace loci::test
