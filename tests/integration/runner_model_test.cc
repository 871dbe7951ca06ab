// loci plan and loci show, and models that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ModelTest : public RunnerTest {
 protected:
  // The model with one piece of its program.json replaced.
  [[nodiscard]] std::string damaged(const std::string& from, const std::string& to) const {
    inference_model();
    std::string text = read("model/program.json");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    write("model/program.json", text.replace(at, from.size(), to));
    return path("model");
  }
};

TEST_F(ModelTest, PlanGivesEachOperatorItsPlaceReasonAndKernel) {
  const json plan = loci_json({"plan", inference_model(), "--device", "cpu", "--json"});
  EXPECT_EQ(plan["device"], "cpu");
  ASSERT_EQ(plan["operators"].size(), 2U);
  EXPECT_EQ(plan["operators"][0]["type"], "fused_elementwise");
  EXPECT_THAT(plan["operators"][0]["name"].get<std::string>(), StartsWith("elementwise_mul_0+"));
  for (const json& op : plan["operators"]) {
    EXPECT_EQ(op["place"], "cpu");
    EXPECT_EQ(op["reason"], "default");
    EXPECT_THAT(op["kernel"].get<std::string>(), StartsWith("org.loci.cpu/"));
  }
  EXPECT_THAT(plan["transfers"], IsEmpty());
  EXPECT_LE(plan["live_bytes"], plan["arena_bytes"]);
  EXPECT_LE(plan["arena_bytes"], plan["unshared_bytes"]);
}

TEST_F(ModelTest, PlanSaysWhichExtentsItAssumed) {
  const std::string model = inference_model();
  json plan = loci_json({"plan", model, "--json"});
  EXPECT_EQ(plan["feeds"][0]["shape"], json({1, 3}));
  EXPECT_EQ(plan["feeds"][0]["assumed"], true);
  EXPECT_THAT(loci({"plan", model}).out, HasSubstr("unknown extents taken as 1"));
  plan = loci_json({"plan", model, "--feed", "x=random:64x3", "--json"});
  EXPECT_EQ(plan["feeds"][0]["shape"], json({64, 3}));
  EXPECT_EQ(plan["feeds"][0]["assumed"], false);
}

TEST_F(ModelTest, PlanShowsFallbacksAndTransfers) {
  const std::vector<std::string> arguments{
      "plan", inference_model(), "--plugin",     kToyPlugin,   "--device",
      "toy",  "--feed",          "x=random:2x3", "--fallback", "allow"};
  std::vector<std::string> with_json = arguments;
  with_json.emplace_back("--json");
  const json plan = loci_json(with_json);
  EXPECT_EQ(plan["operators"][0]["place"], "cpu");
  EXPECT_EQ(plan["operators"][0]["reason"], "no_kernel");
  EXPECT_NE(plan["operators"][0]["detail"], "");
  EXPECT_EQ(plan["operators"][1]["place"], "toy:0");
  EXPECT_FALSE(plan["transfers"].empty());
  for (const json& copy : plan["transfers"]) EXPECT_EQ(copy["bytes"], 24);
  EXPECT_THAT(loci(arguments).out, AllOf(HasSubstr("no_kernel"), HasSubstr("toy:0")));
}

TEST_F(ModelTest, NamesDoNotDriveTheTerminal) {
  // A control sequence of one character, and what turns the line round.
  const std::string name = "a\u009b2J\u202eb";
  const std::string plain = "elementwise_mul_0";  // of an operator and its output
  const std::string model = inference_model();
  std::string text = read("model/program.json");
  for (std::size_t at = 0; (at = text.find(plain, at)) != std::string::npos;) {
    text.replace(at, plain.size(), name);
  }
  write("model/program.json", text);
  const std::vector<std::vector<std::string>> commands{
      {"show", model},
      {"show", model, "--format", "json"},
      {"show", model, "--format", "dot"},
      {"plan", model},
      {"plan", model, "--json"},
      {"run", model, "--feed", "x=1", "--fetch", name + ".out", "--log", "operator=debug"}};
  for (const std::vector<std::string>& command : commands) {
    const Finished finished = loci(command);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    for (const std::string& shown : {finished.out, finished.err}) {
      EXPECT_THAT(shown, Not(AnyOf(HasSubstr("\u009b"), HasSubstr("\u202e")))) << command.back();
    }
    EXPECT_THAT(finished.out, AllOf(HasSubstr(R"(u009b2J)"), HasSubstr(R"(\u202eb)")))
        << command.back();
  }
  EXPECT_THAT(json::parse(loci(commands[1]).out).dump(), HasSubstr(name));
  EXPECT_THAT(loci(commands.back()).err, HasSubstr(R"(a\u009b2J\u202eb)"));
  EXPECT_THAT(failure(2, {"run", model, "--feed", name + ".out=1"}),
              AllOf(HasSubstr(R"(a\u009b2J\u202eb)"), Not(HasSubstr("\u202e"))));
  EXPECT_THAT(failure(2, {"plan", model, "--guard", "\xff=cpu"}), HasSubstr(R"(\xff)"));
}

TEST_F(ModelTest, GuardsPlaceOperatorsOverTheDevice) {
  const std::vector<std::string> arguments{
      "plan",   inference_model(), "--plugin",   kToyPlugin, "--device", "toy",
      "--feed", "x=random:2x3",    "--fallback", "allow",    "--guard",  "relu=toy"};
  const auto plan = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return loci_json(all);
  };
  EXPECT_EQ(plan({"--json"})["operators"][1]["place"], "toy:0");
  const json guarded = plan({"--guard", ".*=cpu", "--json"});
  for (const json& op : guarded["operators"]) {
    EXPECT_EQ(op["place"], "cpu");
    EXPECT_EQ(op["reason"], "user_guard");
  }
  EXPECT_THAT(guarded["transfers"], IsEmpty());
}

TEST_F(ModelTest, GuardsThatCannotHoldAreRefused) {
  const std::string model = inference_model();
  EXPECT_THAT(failure(2, {"plan", model, "--guard", "elementwise=cpu"}),
              HasSubstr("[--guard] 'elementwise': no operator has a name"));
  EXPECT_THAT(failure(2, {"plan", model, "--guard", "argmax"}),
              HasSubstr("[--guard] 'argmax': write REGEX=PLACE"));
  EXPECT_THAT(failure(4, {"plan", model, "--guard", "argmax=nowhere:3"}), HasSubstr("nowhere:3"));
}

TEST_F(ModelTest, PlanListsWhatIsCompiledOnceValuesAreKnown) {
  const std::string model = value_shaped_model();
  const std::vector<std::string> arguments{"plan", model, "--feed", "x=random:4"};
  std::vector<std::string> with_json = arguments;
  with_json.emplace_back("--json");
  const json plan = loci_json(with_json);
  ASSERT_EQ(plan["deferred"].size(), 2U);
  EXPECT_EQ(plan["deferred"][0]["type"], "reduce_sum");
  EXPECT_EQ(plan["deferred"][0]["waits_for"].size(), 1U);
  EXPECT_EQ(plan["deferred"][1]["type"], "scale");
  EXPECT_EQ(plan["deferred"][1]["waits_for"].size(), 1U);
  const std::string text = loci(arguments).out;
  EXPECT_THAT(text, AllOf(HasSubstr("further operators are compiled once"), HasSubstr("waits for"),
                          HasSubstr(plan["deferred"][0]["name"].get<std::string>()),
                          HasSubstr(plan["deferred"][0]["waits_for"][0].get<std::string>())));
  EXPECT_THAT(loci({"plan", inference_model()}).out, Not(HasSubstr("further operators")));
  EXPECT_THAT(loci_json({"plan", inference_model(), "--json"})["deferred"], IsEmpty());
}

TEST_F(ModelTest, PlanWritesNoResults) {
  EXPECT_THAT(failure(2, {"plan", inference_model(), "--fetch", "y=@y.npy"}),
              HasSubstr("nothing to write"));
}

TEST_F(ModelTest, ShowPrintsTheProgramInEachForm) {
  const std::string model = inference_model();
  EXPECT_THAT(loci({"show", model}).out, AllOf(HasSubstr("elementwise_mul"), HasSubstr("best")));
  EXPECT_THAT(loci({"show", model, "--format", "dot"}).out,
              AllOf(HasSubstr("digraph"), HasSubstr("argmax")));
  EXPECT_EQ(loci_json({"show", model, "--format", "json"}), loci_json({"show", model, "--json"}));
  EXPECT_THAT(loci({"show", model, "--after-pass", "dead_code_elimination"}).out,
              AllOf(HasSubstr("elementwise_mul"), HasSubstr("best")));
  EXPECT_THAT(failure(2, {"show", model, "--after-pass", "cse"}),
              HasSubstr("[--after-pass] 'cse' is not one of constant_folding, "));
}

TEST_F(ModelTest, ShowPrintsTheStartupProgramWhereThereIsOne) {
  EXPECT_THAT(loci({"show", untrained_program(), "--startup"}).out,
              AllOf(HasSubstr("fill_constant"), Not(HasSubstr("relu"))));
  EXPECT_THAT(failure(3, {"show", inference_model(), "--startup"}),
              HasSubstr("no startup program"));
}

TEST_F(ModelTest, WhatIsNoModelIsBadInput) {
  EXPECT_THAT(failure(3, {"run", path("nothing")}), HasSubstr("nothing"));
  EXPECT_THAT(failure(3, {"run", write("model.onnx", "ir_version")}), HasSubstr("model.onnx"));
  std::filesystem::create_directory(path("empty"));
  EXPECT_THAT(failure(3, {"show", path("empty")}), HasSubstr("program.json"));
}

TEST_F(ModelTest, MalformedProgramsAreBadInput) {
  EXPECT_THAT(failure(3, {"show", damaged("{", "{{")}), HasSubstr("program.json"));
  EXPECT_THAT(failure(3, {"show", damaged("\"relu\"", "\"rolu\"")}), HasSubstr("rolu"));
  EXPECT_THAT(failure(3, {"run", damaged("\"float32\"", "\"float33\"")}), HasSubstr("float33"));
  EXPECT_THAT(failure(3, {"plan", damaged("\"format_version\": 1", "\"format_version\": 99")}),
              HasSubstr("99"));
}

TEST_F(ModelTest, DamagedWeightsAreBadInput) {
  const std::string model = inference_model();
  const std::string name = nlohmann::json::parse(read("model/program.json"))["weights"]["file"];
  const std::string good = read("model/" + name);
  write("model/" + name, "\xff\xff\xff\xff\xff\xff\xff\x7f{}");
  EXPECT_THAT(failure(3, {"run", model, "--feed", "x=1"}), HasSubstr(name));
  std::string damaged = good;
  damaged.back() ^= 1;
  write("model/" + name, damaged);
  EXPECT_THAT(failure(3, {"show", model, "--check"}), HasSubstr(name + ": content: its digest"));
  write("model/" + name, good);
  EXPECT_THAT(loci({"show", model, "--check"}).out, HasSubstr("relu"));
}

}  // namespace
}  // namespace loci::test
