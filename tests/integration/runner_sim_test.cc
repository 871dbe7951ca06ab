// loci run and loci plan with the software accelerator: copies, guards, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <set>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RunnerSimTest : public RunnerTest {
 protected:
  // The program that ships with examples/device_guard, as written.
  static std::vector<std::string> crop(const std::string& command,
                                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{command,      kCropProgram, "--device", "sim:0",
                                       "--optimize", "none",       "--fetch",  "crop_tensor_0.out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(RunnerSimTest, ThePlanNamesTheCopiesThatAGuardAvoids) {
  const json plain = loci_json(crop("plan", {"--json"}));
  ASSERT_EQ(plain["transfers"].size(), 2U);
  EXPECT_EQ(plain["transfers"][0]["variable"], "shape_0.out");
  EXPECT_EQ(plain["transfers"][0]["reason"], "prepare_data");
  EXPECT_EQ(plain["transfers"][1]["variable"], "slice_0.out");
  EXPECT_EQ(plain["transfers"][1]["reason"], "host_read");
  const json guarded = loci_json(crop("plan", {"--guard", "slice=cpu", "--json"}));
  EXPECT_EQ(guarded["transfers"].size(), 0U);
}

// The device has no kernel of argmax, which gives the other result.
TEST_F(RunnerSimTest, WhatIsNotFetchedDoesNotRun) {
  const std::string model = inference_model();
  const auto with = [&](const std::string& command, const std::string& fetch,
                        const std::vector<std::string>& more) {
    std::vector<std::string> all{command, model,     "--device", "sim:0",      "--feed",
                                 "x=1",   "--fetch", fetch,      "--fallback", "allow"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const json plan = loci_json(with("plan", "y", {"--json"}));
  for (const json& op : plan["operators"]) EXPECT_EQ(op["place"], "sim:0") << op;
  EXPECT_THAT(plan["operators"].dump(), Not(HasSubstr("argmax")));
  ASSERT_EQ(plan["transfers"].size(), 1U) << plan["transfers"];
  EXPECT_EQ(plan["transfers"][0]["reason"], "feed");
  const std::vector<std::string> forbid{"--transfers", "forbid"};
  EXPECT_EQ(loci(with("run", "y", forbid)).exit_code, 0);
  EXPECT_EQ(loci(with("bench", "y", forbid)).exit_code, 0);
  EXPECT_EQ(loci(with("run", "y", {"--capture", "on", "--repeat", "2"})).exit_code, 0);
  EXPECT_THAT(failure(6, with("run", "best", forbid)), HasSubstr("the policy forbids to copy"));
}

TEST_F(RunnerSimTest, ThePlanShowsStreamsAndWhatTheyWaitFor) {
  Program main;
  Program startup;
  Variable sum;
  {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {4}, kFloat32);
    sum = elementwise_add(softmax(scale(x, 2.0)), softmax(scale(x, 3.0)));
  }
  io::save_program(path("branches"), main, startup);
  const std::vector<std::string> arguments{"plan",  path("branches"), "--device",
                                           "sim:0", "--fetch",        sum.name()};
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const json plan = loci_json(as_json);
  std::set<int> streams;
  json waits = json::array();
  for (const json& op : plan["operators"]) {
    streams.insert(op["stream"].get<int>());
    if (op["type"] == "elementwise_add") waits = op["waits_for"];
  }
  EXPECT_EQ(streams.size(), 2U);
  ASSERT_EQ(waits.size(), 1U);
  const Finished text = loci(arguments);
  EXPECT_THAT(text.out, AllOf(HasSubstr("stream  waits for"), HasSubstr("softmax_")));
}

TEST_F(RunnerSimTest, APolicyRefusesThemUnlessTheGuardIsThere) {
  EXPECT_THAT(failure(6, crop("run", {"--transfers", "forbid"})),
              AllOf(HasSubstr("shape_0.out"), HasSubstr("for slice_0 (prepare_data)")));
  const Finished guarded = loci(crop("run", {"--transfers", "forbid", "--guard", "slice=cpu"}));
  EXPECT_EQ(guarded.exit_code, 0) << guarded.err;
  EXPECT_EQ(guarded.out, loci(crop("run")).out);
}

TEST_F(RunnerSimTest, TheLogHasEachOperatorAndEachCopy) {
  const Finished run = loci(crop("run", {"--log", "operator=debug,transfer=debug"}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("sim:0 Op(slice), inputs: {x[shape_0.out:int32[4]]"),
                             HasSubstr("outputs: {out[slice_0.out:int32[4]]}"),
                             HasSubstr("prepare_data"), HasSubstr("host_read")));
}

TEST_F(RunnerSimTest, AGuardAtNoDeviceIsRefusedEvenIfItsOperatorIsFolded) {
  for (const char* guard : {"slice=mars", "slice=sim:99"}) {
    EXPECT_THAT(
        failure(4, {"run", kCropProgram, "--device", "sim:0", "--guard", guard}),
        AllOf(HasSubstr("slice_0 is under the device guard"), HasSubstr("there is no device")));
  }
}

TEST_F(RunnerSimTest, AGuardWithoutAKernelThereIsRefused) {
  EXPECT_THAT(failure(4, {"run", inference_model(), "--device", "sim:0", "--guard", "argmax=sim:1",
                          "--feed", "x=random:2x3"}),
              AllOf(HasSubstr("[argmax]"), HasSubstr("has no kernel at sim:1"),
                    HasSubstr("change or remove the device guard")));
}

TEST_F(RunnerSimTest, MalformedSettingsAreNamed) {
  const Finished wrong_value = loci(crop("run"), {"LOCI_SIM=memory=lots"});
  EXPECT_EQ(wrong_value.exit_code, 4);
  EXPECT_THAT(wrong_value.err, AllOf(HasSubstr("loci: error: [device] there is no device 'sim:0'"),
                                     HasSubstr("LOCI_SIM: memory is 'lots'; give bytes from")));
  const Finished unknown = loci(crop("run"), {"LOCI_SIM=speed=1"});
  EXPECT_EQ(unknown.exit_code, 4);
  EXPECT_THAT(unknown.err, HasSubstr("there is no setting 'speed' (given '1'); there are devices"));
}

TEST_F(RunnerSimTest, WithoutMemoryItSaysWhatWouldFit) {
  const std::vector<std::string> arguments{"run",       inference_model(),    "--device",   "sim:0",
                                           "--feed",    "x=random:1000000x3", "--fallback", "allow",
                                           "--no-pass", "elementwise_fusion"};
  EXPECT_THAT(failure(5, arguments, {"LOCI_SIM=memory=1M"}),
              AllOf(HasSubstr("sim:0: no memory for '(plan arena)'"),
                    HasSubstr("a placement that fits: all of the program on the CPU")));
  EXPECT_THAT(failure(5, arguments, {"LOCI_SIM=memory=1M", "LOCI_MEMORY_LIMIT=20000000"}),
              AllOf(HasSubstr("no placement fits"), Not(HasSubstr("a placement that fits"))));
}

TEST_F(RunnerSimTest, ALostDeviceIsAFailureThatSaysByWhat) {
  EXPECT_THAT(failure(5, crop("run"), {"LOCI_SIM=lose_device=1"}),
              AllOf(HasSubstr("sim:0 is lost: "), HasSubstr("took it along")));
}

// A kernel of 1000 seconds.
constexpr const char* kHangs = "LOCI_SIM=launch_us=1e9";

TEST_F(RunnerSimTest, AWaitHasTheLimitThatIsAskedFor) {
  for (const bool by_option : {true, false}) {
    const std::vector<std::string> words =
        by_option ? crop("run", {"--sync-timeout", "1"}) : crop("run");
    std::vector<std::string> environment{kHangs, "LOCI_EXIT_TIMEOUT=600"};
    if (!by_option) environment.emplace_back("LOCI_SYNC_TIMEOUT=1");
    EXPECT_THAT(
        failure(5, words, environment),
        AllOf(HasSubstr(
                  "[device] sim:0 is lost: the work in its default stream has not come to an end "
                  "within 1 s (LOCI_SYNC_TIMEOUT)"),
              HasSubstr("a program's run at sim:0")));
  }
  EXPECT_THAT(failure(2, crop("run", {"--sync-timeout", "soon"})),
              HasSubstr("[--sync-timeout] 'soon' is not a whole number from 0 to 86400"));
}

TEST_F(RunnerSimTest, AnInterruptEndsARunWhoseKernelHangs) {
  std::vector<std::string> words{
      "/usr/bin/timeout",    "--preserve-status", "-s", "INT", "-k", "300", "3",
      build_path("bin/loci")};
  const std::vector<std::string> run = crop("run");
  words.insert(words.end(), run.begin(), run.end());
  const Finished finished = run_process(words, {kHangs});
  EXPECT_EQ(finished.exit_code, 128 + 2) << finished.err;
}

}  // namespace
}  // namespace loci::test
