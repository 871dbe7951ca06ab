// loci run: what it computes, prints and writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <loci/io.hpp>
#include <loci/version.hpp>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RunTest : public RunnerTest {
 protected:
  // Two rows; y is [1, 4, 0] and [0, 0, 3].
  [[nodiscard]] std::string rows() const {
    return "x=@" + write_npy("rows.npy", Tensor::from<float>({1, 2, 3, -1, -1, -1}, {2, 3}));
  }
};

TEST_F(RunTest, PrintsTheModelsResults) {
  const Finished finished = loci({"run", inference_model(), "--feed", rows()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  EXPECT_THAT(finished.out, AllOf(HasSubstr("y"), HasSubstr("float32"), HasSubstr("best"),
                                  HasSubstr("int64"), HasSubstr("[1, 2]")));
}

TEST_F(RunTest, JsonHasInputsResultsAndLatency) {
  const json report = loci_json({"run", inference_model(), "--feed", rows(), "--json"});
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["feeds"][0]["name"], "x");
  EXPECT_EQ(report["feeds"][0]["shape"], json({2, 3}));
  EXPECT_EQ(report["results"][0]["name"], "y");
  EXPECT_EQ(report["results"][0]["dtype"], "float32");
  EXPECT_EQ(report["results"][0]["values"], json({1, 4, 0, 0, 0, 3}));
  EXPECT_EQ(report["results"][1]["values"], json({1, 2}));
  EXPECT_EQ(report["results"][1]["file"], json());
  EXPECT_EQ(report["runs"], 1);
  EXPECT_GT(report["latency_us"]["min"], 0);
}

TEST_F(RunTest, FetchChoosesAndWritesResults) {
  const std::string out = path("best.npy");
  const json report =
      loci_json({"run", inference_model(), "--feed", rows(), "--fetch", "best=@" + out, "--json"});
  ASSERT_EQ(report["results"].size(), 1U);
  EXPECT_EQ(report["results"][0]["file"], out);
  EXPECT_EQ(report["results"][0]["values"], json());
  EXPECT_EQ(io::load_npy(out).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(RunTest, ArchivesOfArraysAreFedAndWritten) {
  const std::string model = inference_model();
  const std::string in = path("in.npz");
  io::save_npz(in, {{"x", Tensor::from<float>({1, 2, 3, -1, -1, -1}, {2, 3})},
                    {"w", Tensor::from<float>({5, 0, 0}, {3})}});
  json report = loci_json({"run", model, "--feed", "x=@" + in, "--fetch", "y", "--json"});
  EXPECT_EQ(report["results"][0]["values"], json({1, 4, 0, 0, 0, 3}));
  report = loci_json({"run", model, "--feed", "@" + in, "--fetch", "y", "--json"});
  EXPECT_EQ(report["results"][0]["values"], json({5, 0, 0, 0, 0, 0}));
  EXPECT_EQ(report["feeds"].size(), 2U);
  const std::string out = path("out.npz");
  report = loci_json({"run", model, "--feed", "x=@" + in + ":x", "--fetch", "y=@" + out, "--fetch",
                      "best=@" + out + ":digit", "--json"});
  EXPECT_EQ(report["results"][0]["file"], out);
  EXPECT_EQ(report["results"][0]["array"], "y");
  EXPECT_EQ(report["results"][1]["array"], "digit");
  EXPECT_EQ(io::load_npz(out, "digit").to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(io::npz_names(out).size(), 2U);
}

TEST_F(RunTest, ArchivesThatDoNotFitAreRefused) {
  const std::string model = inference_model();
  const std::string in = path("in.npz");
  io::save_npz(in, {{"x", Tensor::from<float>({1, 2, 3}, {1, 3})}, {"z", Tensor::scalar(1.0F)}});
  EXPECT_THAT(failure(2, {"run", model, "--feed", "@" + in}), HasSubstr("'z'"));
  EXPECT_THAT(failure(2, {"run", model, "--feed", "@" + in, "--feed", "x=1"}),
              HasSubstr("'x' is given twice"));
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + in + ":y"}),
              HasSubstr("array 'y': there is none of that name"));
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=@" + in + ":z"}),
              AllOf(HasSubstr(in + ":z"), HasSubstr("float32[]")));
  const std::string torn = write("torn.npz", "PK\3\4");
  EXPECT_THAT(failure(3, {"run", model, "--feed", "@" + torn}), HasSubstr(torn));
}

TEST_F(RunTest, ANumberFillsTheVariable) {
  const json report =
      loci_json({"run", inference_model(), "--feed", "x=2", "--fetch", "y", "--json"});
  EXPECT_EQ(report["results"][0]["values"], json({2, 4, 0}));
}

TEST_F(RunTest, AParameterCanBeFed) {
  const std::string w = write_npy("w.npy", Tensor::from<float>({5, 0, 0}, {3}));
  const json report = loci_json(
      {"run", inference_model(), "--feed", "x=1", "--feed", "w=@" + w, "--fetch", "y", "--json"});
  EXPECT_EQ(report["results"][0]["values"], json({5, 0, 0}));
}

TEST_F(RunTest, RandomFeedsFollowTheSeed) {
  const std::string model = inference_model();
  const auto values = [&](const char* seed) {
    return loci_json({"run", model, "--feed", "x=random:4x3:1:2", "--seed", seed,
                      "--json"})["results"][0]["values"];
  };
  const json first = values("1");
  EXPECT_EQ(first, values("1"));
  EXPECT_NE(first, values("2"));
  EXPECT_GE(first[0], 1);
  EXPECT_LE(first[0], 2);
}

TEST_F(RunTest, WithoutWeightsTheStartupProgramRuns) {
  const json report =
      loci_json({"run", untrained_program(), "--feed", "x=1", "--fetch", "y", "--json"});
  EXPECT_EQ(report["results"][0]["values"], json({2, 2, 2}));
}

TEST_F(RunTest, RepeatReportsLatency) {
  const std::string model = inference_model();
  const Finished finished =
      loci({"run", model, "--feed", "x=1", "--repeat", "20", "--warmup", "2"});
  EXPECT_THAT(finished.out, AllOf(HasSubstr("20 runs"), HasSubstr("median"), HasSubstr("min")));
  const json report =
      loci_json({"run", model, "--feed", "x=1", "--repeat", "20", "--warmup", "2", "--json"});
  EXPECT_EQ(report["runs"], 20);
  EXPECT_EQ(report["warmup"], 2);
  EXPECT_GE(report["latency_us"]["median"], report["latency_us"]["min"]);
}

TEST_F(RunTest, NoProgressWithoutATerminal) {
  const Finished finished =
      loci({"run", inference_model(), "--feed", "x=random:4096x3", "--repeat", "3000"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.err, "");
}

TEST_F(RunTest, AllOptimizationsAgree) {
  const std::string model = inference_model();
  for (const char* level : {"none", "exact", "default"}) {
    EXPECT_EQ(loci_json({"run", model, "--feed", rows(), "--optimize", level, "--threads", "1",
                         "--json"})["results"][0]["values"],
              json({1, 4, 0, 0, 0, 3}));
  }
}

TEST_F(RunTest, FallsBackToTheCpuAndSaysSo) {
  const std::vector<std::string> arguments{"run",      inference_model(), "--feed",   rows(),
                                           "--plugin", kToyPlugin,        "--device", "toy"};
  const Finished finished = loci(arguments);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("[1, 2]"));
  EXPECT_THAT(finished.err, HasSubstr("elementwise_mul"));
}

TEST_F(RunTest, FallbackErrorIsAViolatedPolicy) {
  EXPECT_THAT(failure(6, {"run", inference_model(), "--feed", "x=1", "--plugin", kToyPlugin,
                          "--device", "toy", "--fallback", "error"}),
              HasSubstr("no kernel"));
}

TEST_F(RunTest, FallbackAllowIsSilent) {
  const Finished finished = loci({"run", inference_model(), "--feed", "x=1", "--plugin", kToyPlugin,
                                  "--device", "toy", "--fallback", "allow"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.err, "");
}

TEST_F(RunTest, LogsGoToStandardError) {
  const Finished finished =
      loci({"run", inference_model(), "--feed", "x=1", "--log", "operator=debug", "--json"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.err, HasSubstr("argmax"));
  EXPECT_TRUE(json::accept(finished.out));
}

TEST_F(RunTest, AFullOutputIsAFailure) {
  if (run_process({"/bin/sh", "-c", "test -w /dev/full"}).exit_code != 0) {
    GTEST_SKIP() << "there is no /dev/full";
  }
  const std::string command =
      build_path("bin/loci") + " run " + inference_model() + " --feed x=1 > /dev/full";
  const Finished finished = run_process({"/bin/sh", "-c", command});
  EXPECT_EQ(finished.exit_code, 5);
  EXPECT_THAT(finished.err, HasSubstr("standard output"));
}

TEST_F(RunTest, TransfersCanBeForbiddenLoggedAndBounded) {
  const auto with = [this](const std::string& policy) {
    return std::vector<std::string>{
        "run", inference_model(), "--plugin", kToyPlugin,    "--device", "toy", "--feed",
        "x=1", "--fallback",      "allow",    "--transfers", policy};
  };
  EXPECT_THAT(failure(6, with("forbid")),
              AllOf(HasSubstr("the policy forbids to copy"), HasSubstr("(12 bytes)")));
  EXPECT_THAT(failure(6, with("sync=0")), HasSubstr("and the policy allows 0"));
  const Finished logged = loci(with("log"));
  EXPECT_EQ(logged.exit_code, 0) << logged.err;
  EXPECT_THAT(logged.err, AllOf(HasSubstr("copies '"), HasSubstr("(12 bytes)")));
  EXPECT_EQ(loci(with("sync=2")).exit_code, 0);
  EXPECT_EQ(loci(with("allow")).err, "");
  EXPECT_THAT(failure(2, with("some")), HasSubstr("[--transfers] 'some'"));
}

TEST_F(RunTest, ARunOnOnePlaceTripsNoTransferPolicy) {
  EXPECT_EQ(loci({"run", inference_model(), "--feed", "x=1", "--transfers", "forbid"}).exit_code,
            0);
}

TEST_F(RunTest, TakesWhatComesThroughPipes) {
  (void)rows();
  io::save_npz(path("rows.npz"), {{"x", io::load_npy(path("rows.npy"))}});
  const std::string run = build_path("bin/loci") + " run " + inference_model() + " --feed ";
  for (const std::string& command :
       {"cat " + path("rows.npy") + " | " + run + "x=@-",
        "cat " + path("rows.npy") + " | " + run + "x=@/dev/stdin",
        "cat " + path("rows.npz") + " | " + run + "x=@-:x",
        "cat " + path("rows.npz") + " | " + run + "@-", run + "x=@- < " + path("rows.npy"),
        run + "x=@<(cat " + path("rows.npy") + ")", run + "@<(cat " + path("rows.npz") + ")"}) {
    const Finished finished = run_process({"/bin/bash", "-c", command});
    EXPECT_EQ(finished.exit_code, 0) << command << "\n" << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("[1, 2]")) << command;
  }
  const Finished bad = run_process({"/bin/bash", "-c", "echo x | " + run + "x=@-"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("-: magic: 2 bytes are too few"), Not(HasSubstr("/proc"))));
}

}  // namespace
}  // namespace loci::test
