// --capture: what is captured, what stands in the way, and how it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunnerCaptureTest : public RunnerTest {
 protected:
  // y = relu(x + x) * x at the device, or root = sqrt(y) at the CPU.
  std::string model(const std::string& result) const {
    Program main;
    const ProgramGuard building(main, Program());
    const Variable x = data("x", {2}, kFloat32);
    Variable y = relu(x + x) * x;
    y.rename("y");
    Variable root;
    {
      const DeviceGuard host("cpu");
      root = sqrt(y);
    }
    root.rename("root");
    io::save_inference_model(path(result), main, {x}, {result == "y" ? y : root}, Scope());
    return path(result);
  }
  std::vector<std::string> with(const std::string& command, const std::string& capture,
                                const std::string& result) const {
    // One launch alone would not be worth a graph.
    return {command,     model(result),        "--device", "sim:0", "--optimize", "exact",
            "--no-pass", "elementwise_fusion", "--feed",   "x=2",   "--capture",  capture,
            "--json"};
  }
};

TEST_F(RunnerCaptureTest, ARunThatIsCapturedGivesTheSame) {
  const json plain = loci_json(with("run", "off", "y"));
  const json captured = loci_json(with("run", "auto", "y"));
  EXPECT_TRUE(plain["capture"].is_null());
  EXPECT_EQ(captured["results"], plain["results"]);
  EXPECT_EQ(captured["warmup"], 2);
  EXPECT_EQ(captured["capture"]["captures"], 1);
  EXPECT_EQ(captured["capture"]["replays"], 2);
  EXPECT_GT(captured["capture"]["bytes"], 0);
  bool is_native = false;
  for (const json& part : captured["capture"]["parts"]) is_native = is_native || part["native"];
  EXPECT_TRUE(is_native);
}

TEST_F(RunnerCaptureTest, OnIsRefusedWithEachReason) {
  loci_json(with("run", "on", "y"));
  std::vector<std::string> arguments = with("run", "on", "root");
  const Finished finished = loci(arguments);
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("[--capture] 2 parts of the model cannot be captured"),
                                  HasSubstr("'y' is copied between places for [sqrt_0]"),
                                  HasSubstr("[sqrt] sqrt_0 at cpu"), HasSubstr("--capture auto")));
}

TEST_F(RunnerCaptureTest, APlanTellsThemWithoutARun) {
  EXPECT_TRUE(loci_json(with("plan", "off", "root"))["capture_problems"].is_null());
  EXPECT_EQ(loci_json(with("plan", "on", "y"))["capture_problems"], json::array());
  const json problems = loci_json(with("plan", "on", "root"))["capture_problems"];
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_THAT(problems[1]["reason"].get<std::string>(), HasSubstr("it runs at cpu (user_guard)"));
  EXPECT_FALSE(problems[1]["remedy"].get<std::string>().empty());
}

TEST_F(RunnerCaptureTest, OtherWordsAreRefused) {
  const Finished finished = loci({"run", model("y"), "--capture", "maybe"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("[--capture] 'maybe' is not one of off, auto, on"));
}

}  // namespace
}  // namespace loci::test
