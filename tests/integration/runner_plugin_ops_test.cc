// Programs with ops that a plugin brings: shown, planned and run with it, refused without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PluginOpsTest : public RunnerTest {
 protected:
  // y = sample.swish(x) for x float32[3].
  [[nodiscard]] std::string model(const std::string& beta = "2.0", int version = 2) const {
    std::filesystem::create_directory(path("model"));
    write("model/program.json",
          R"({"format": "loci.program", "format_version": 1, "ops": {"sample.swish": )" +
              std::to_string(version) + R"(},
              "plugins": {"sample.swish": "org.example.sample"},
              "main": {"variables": [
                {"name": "x", "dtype": "float32", "shape": [3], "data": true},
                {"name": "y", "dtype": "float32", "shape": [3]}],
              "operators": [{"type": "sample.swish", "name": "sample.swish_0",
                "inputs": {"x": ["x"]}, "outputs": {"out": ["y"]},
                "attributes": {")" +
              (version == 1 ? "slope" : "beta") + R"(": {"float": )" + beta + R"(}}}],
              "arguments": ["x"], "results": ["y"]}})");
    return path("model");
  }
  static std::vector<std::string> with_plugin(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--plugin", build_path("lib/loci/test_plugins/loci-test_swish.so")});
    return arguments;
  }
};

TEST_F(PluginOpsTest, RunComputes) {
  const std::string x = write_npy("x.npy", Tensor::from<float>({-1.0F, 0.0F, 1.0F}, {3}));
  const json result = loci_json(
      with_plugin({"run", model(), "--feed", "x=@" + x, "--json", "--fallback", "error"}));
  const json values = result["results"][0]["values"];
  ASSERT_EQ(values.size(), 3U) << result;
  EXPECT_NEAR(values[0].get<double>(), -0.11920292, 1e-7);  // -1 / (1 + exp(2))
  EXPECT_EQ(values[1], 0.0);
  EXPECT_NEAR(values[2].get<double>(), 0.88079708, 1e-7);
}

TEST_F(PluginOpsTest, PlanAndShowNameTheOp) {
  const json plan = loci_json(with_plugin({"plan", model(), "--json"}));
  ASSERT_EQ(plan["operators"].size(), 1U);
  EXPECT_EQ(plan["operators"][0]["type"], "sample.swish");
  EXPECT_EQ(plan["operators"][0]["place"], "cpu");
  EXPECT_EQ(plan["operators"][0]["kernel"], "org.example.sample/sample");
  EXPECT_THAT(loci(with_plugin({"show", model()})).out, HasSubstr("sample.swish"));
  EXPECT_THAT(loci(with_plugin({"show", model(), "--format", "dot"})).out,
              HasSubstr("sample.swish"));
  const json shown = json::parse(loci(with_plugin({"show", model(), "--format", "json"})).out);
  EXPECT_EQ(shown["plugins"]["sample.swish"], "org.example.sample");
}

TEST_F(PluginOpsTest, WithoutThePluginItIsNamed) {
  EXPECT_THAT(failure(3, {"run", model()}),
              AllOf(HasSubstr("ops.sample.swish: the op sample.swish is of the plugin "
                              "org.example.sample, and no plugin that is loaded brings it"),
                    HasSubstr("--plugin-path")));
  EXPECT_THAT(failure(3, with_plugin({"run", model(), "--no-plugin", "org.example.sample"})),
              AllOf(HasSubstr("is of the plugin org.example.sample"),
                    HasSubstr("org.example.sample is disabled")));
}

// The plugin upgrades an older version of the op; a newer one is refused with both numbers.
TEST_F(PluginOpsTest, OlderProgramsAreUpgraded) {
  const std::string x = write_npy("x.npy", Tensor::from<float>({1.0F, 2.0F, 3.0F}, {3}));
  const auto values = [&](int version) {
    return loci_json(with_plugin(
        {"run", model("0.5", version), "--feed", "x=@" + x, "--json"}))["results"][0]["values"];
  };
  EXPECT_EQ(values(1), values(2));
  EXPECT_THAT(failure(3, with_plugin({"run", model("0.5", 3)})),
              HasSubstr("uses version 3 of the op sample.swish, but the plugin org.example.sample "
                        "has version 2; update it"));
}

// The accelerator has no kernel of it.
TEST_F(PluginOpsTest, ADeviceWithoutAKernelDecomposesIt) {
  const json plan =
      loci_json(with_plugin({"plan", model(), "--device", "sim", "--fallback", "error", "--json"}));
  ASSERT_EQ(plan["operators"].size(), 3U) << plan;
  for (const json& op : plan["operators"]) {
    EXPECT_EQ(op["place"], "sim:0");
    EXPECT_EQ(op["reason"], "decomposed");
    EXPECT_THAT(op["detail"].get<std::string>(),
                HasSubstr("part of sample.swish_0 [sample.swish], for which sim:0 has no kernel"));
  }
  const std::string x = write_npy("x.npy", Tensor::from<float>({-1.0F, 0.0F, 1.0F}, {3}));
  const json result = loci_json(with_plugin(
      {"run", model(), "--feed", "x=@" + x, "--device", "sim", "--fallback", "error", "--json"}));
  EXPECT_NEAR(result["results"][0]["values"][0].get<double>(), -0.11920292, 1e-7);
}

TEST_F(PluginOpsTest, LimitsHoldForFilesToo) {
  EXPECT_THAT(failure(3, with_plugin({"run", model("-1.0")})),
              HasSubstr("attribute 'beta' is -1; give a number from 0 to 100"));
}

}  // namespace
}  // namespace loci::test
