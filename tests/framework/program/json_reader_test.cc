#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <loci/control_flow.hpp>
#include <loci/layers.hpp>
#include <random>

#include "framework/ops/op_registry.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A program with most of what a file can have.
class JsonReaderTest : public ::testing::Test {
 protected:
  JsonReaderTest() {
    const ProgramGuard guard(main_, startup_);
    const Variable x = data("x", {-1, 1, 8, 8}, kFloat32);
    const Variable label = data("label", {-1, 1}, kInt64);
    const Variable features = relu(layers::conv2d(x, 4, 3));
    Variable logits;
    {
      const DeviceGuard device("sim:1");
      logits = layers::fc(features, 10);
    }
    mean(softmax_with_cross_entropy(logits, label));
    fill_constant({2}, std::numeric_limits<double>::infinity());
    uniform_random({2});
    const Variable rate = create_persistable({}, kFloat32, initializer::constant(0.1), "rate");
    const Variable w = main_.find("fc_0.weight");
    sgd(w, w, rate);
    main_.impl()->main().ops.back().role = Role::kUpdate;
    main_.impl()->main().ops.back().scope = "training";
    main_.impl()->main().ops.back().origin = "relu_7";
    json_ = to_json(*main_.impl(), startup_.impl().get());
  }

  // The message of the refusal of the file with `from` replaced by `to`.
  std::string refusal(const std::string& from, const std::string& to) {
    std::string text = json_;
    const std::size_t position = text.find(from);
    EXPECT_NE(position, std::string::npos) << from;
    if (position == std::string::npos) return {};
    return refusal_of(text.replace(position, from.size(), to));
  }

  static std::string refusal_of(const std::string& text) {
    try {
      (void)from_json(text, "net.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("[program] net.json: "));
      return error.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
  }

  Program main_;
  Program startup_;
  std::string json_;
};

TEST_F(JsonReaderTest, RoundTripsToTheSameText) {
  const ParsedPrograms parsed = from_json(json_, "net.json");
  EXPECT_EQ(Program(parsed.main).to_string(), main_.to_string());
  EXPECT_EQ(Program(parsed.startup).to_string(), startup_.to_string());
  EXPECT_EQ(to_json(*parsed.main, parsed.startup.get()), json_);
}

TEST_F(JsonReaderTest, TheStartupProgramMayBeAbsent) {
  EXPECT_EQ(from_json(to_json(*main_.impl(), nullptr), "f").startup, nullptr);
}

TEST_F(JsonReaderTest, KeepsArgumentsAndResults) {
  const Program pruned = main_.prune({main_.find("x")}, {main_.find("relu_0.out")});
  const ParsedPrograms parsed = from_json(to_json(*pruned.impl(), nullptr), "f");
  EXPECT_EQ(parsed.main->main().arguments, pruned.impl()->main().arguments);
  EXPECT_EQ(parsed.main->main().results, pruned.impl()->main().results);
}

TEST_F(JsonReaderTest, WhatIsAddedLaterGetsFreeNamesAndOffsets) {
  const ParsedPrograms parsed = from_json(json_, "net.json");
  const Program startup(parsed.startup);
  const Program main(parsed.main);
  const ProgramGuard guard(main, startup);
  EXPECT_EQ(layers::fc(main.find("x"), 3).name(), "elementwise_add_1.out");
  EXPECT_NO_THROW((void)main.find("fc_1.weight"));
  uniform_random({2});
  EXPECT_EQ(std::get<std::int64_t>(parsed.main->main().ops.back().attributes.at("offset")), 1);
}

TEST_F(JsonReaderTest, RefusesOtherTexts) {
  EXPECT_THAT(refusal_of(""), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal_of("{\"format\": \xff}"),
              AllOf(HasSubstr("is not JSON"), Not(HasSubstr("\xff"))));
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("top level: is array; an object is needed"));
  EXPECT_THAT(refusal_of(std::string(100000, '[')), HasSubstr("nested deeper than"));
  EXPECT_THAT(refusal_of("{\"main\": NaN}"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal_of(std::string(kMostJsonBytes + 1, ' ')), HasSubstr("67108865 bytes"));
  EXPECT_THAT(refusal_of("{\"format\": \"x\", \"format\": \"y\"}"), HasSubstr("'format' twice"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("no member 'format'"));
}

TEST_F(JsonReaderTest, RefusesOtherFormats) {
  EXPECT_THAT(refusal("\"loci.program\"", "\"other\""), HasSubstr("format: is 'other'"));
  EXPECT_THAT(refusal("\"format_version\": 1", "\"format_version\": 2"),
              HasSubstr("format_version: is 2, but this Loci reads up to 1"));
  EXPECT_THAT(refusal("\"format_version\": 1", "\"format_version\": 0"), HasSubstr("0 is not in"));
  EXPECT_THAT(refusal("\"format_version\": 1", "\"format_version\": \"1\""),
              HasSubstr("format_version: is string; an integer is needed"));
  EXPECT_THAT(refusal("\"producer\"", "\"extra\": 0, \"producer\""),
              HasSubstr("unknown member 'extra'"));
}

TEST_F(JsonReaderTest, RefusesUnknownOpsAndVersions) {
  EXPECT_THAT(refusal("\"relu\":1", "\"relue\":1"),
              AllOf(HasSubstr("ops.relue"), HasSubstr("did you mean 'relu'")));
  EXPECT_THAT(refusal("\"relu\":1", "\"relu\":9"),
              HasSubstr("ops.relu: the file uses version 9 of the op relu"));
  EXPECT_THAT(refusal("\"relu\":1", "\"relu\":0"), HasSubstr("0 is not in [1,"));
  EXPECT_THAT(refusal("\"type\":\"relu\"", "\"type\":\"argmax\""),
              HasSubstr("main.operators[1].type: the op 'argmax' is not in the table"));
}

TEST_F(JsonReaderTest, RefusesBadVariables) {
  const std::string x = "{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[-1,1,8,8]";
  const auto with = [&](const std::string& replacement) { return refusal(x, replacement); };
  EXPECT_THAT(with("{\"name\":1,\"dtype\":\"float32\",\"shape\":[]"),
              HasSubstr("main.variables[0].name: is number; a string is needed"));
  EXPECT_THAT(with("{\"name\":\"\",\"dtype\":\"float32\",\"shape\":[]"), HasSubstr("not empty"));
  EXPECT_THAT(with("{\"name\":\"a\\nb\",\"dtype\":\"float32\",\"shape\":[]"),
              HasSubstr("control character"));
  EXPECT_THAT(with("{\"name\":\"x\",\"dtype\":\"float33\",\"shape\":[]"),
              AllOf(HasSubstr("main.variables[0].dtype"), HasSubstr("float33")));
  EXPECT_THAT(with("{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[-2]"), HasSubstr("-2"));
  EXPECT_THAT(with("{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[1.5]"),
              HasSubstr("main.variables[0].shape[0]: is number; an integer"));
  EXPECT_THAT(with("{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[18446744073709551615]"),
              HasSubstr("18446744073709551615 is not in"));
  EXPECT_THAT(with("{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[1,1,1,1,1,1,1,1,1]"),
              HasSubstr("at most 8"));
  EXPECT_THAT(with("{\"name\":\"label\",\"dtype\":\"float32\",\"shape\":[]"),
              HasSubstr("'label' already"));
  EXPECT_THAT(with("{\"nam\":\"x\",\"dtype\":\"float32\",\"shape\":[]"),
              HasSubstr("did you mean 'name'"));
  EXPECT_THAT(refusal("\"data\":true", "\"data\":1"), HasSubstr("data: is number; true or false"));
}

TEST_F(JsonReaderTest, RefusesBadOperators) {
  EXPECT_THAT(refusal("\"inputs\":{\"x\":[\"x\"]", "\"inputs\":{\"x\":[\"xx\"]"),
              AllOf(HasSubstr("main.operators[0].inputs.x[0]: there is no variable 'xx'"),
                    HasSubstr("did you mean 'x'")));
  EXPECT_THAT(refusal("\"inputs\":{\"x\":[\"x\"]", "\"inputs\":{\"y\":[\"x\"]"),
              HasSubstr("main.operators[0].inputs: has an unknown member 'y'"));
  EXPECT_THAT(refusal("\"inputs\":{\"x\":[\"x\"]", "\"inputs\":{\"x\":[\"label\"]"),
              AllOf(HasSubstr("main.operators[0]"), HasSubstr("int64")));
  EXPECT_THAT(refusal("\"inputs\":{\"x\":[\"x\"]", "\"inputs\":{\"x\":[\"relu_0.out\"]"),
              HasSubstr("which no earlier operator computes"));
  EXPECT_THAT(refusal("\"guard\":\"sim:1\"", "\"guard\":\"sim:x\""), HasSubstr("'sim:x'"));
  EXPECT_THAT(refusal("\"role\":\"update\"", "\"role\":\"updates\""),
              HasSubstr("did you mean 'update'"));
  EXPECT_THAT(refusal("\"name\":\"relu_0\"", "\"name\":\"conv2d_1\""), HasSubstr("that name"));
  EXPECT_THAT(refusal("\"name\":\"relu_0\"", "\"name\":\"re\\u001blu\""), HasSubstr("\\x1b"));
}

TEST_F(JsonReaderTest, RefusesBadAttributes) {
  EXPECT_THAT(refusal("{\"int\":1}", "{\"int\":1.0}"), HasSubstr("an integer is needed"));
  EXPECT_THAT(refusal("{\"int\":1}", "{\"int\":1,\"bool\":true}"), HasSubstr("needs one member"));
  EXPECT_THAT(refusal("{\"int\":1}", "{}"), HasSubstr("needs one member"));
  EXPECT_THAT(refusal("{\"int\":1}", "{\"itn\":1}"), HasSubstr("not a kind of attribute"));
  EXPECT_THAT(refusal("{\"int\":1}", "{\"string\":\"1\"}"),
              AllOf(HasSubstr("main.operators[0].attributes"), HasSubstr("'groups' is a string")));
  EXPECT_THAT(refusal("\"groups\":", "\"group\":"), HasSubstr("did you mean 'groups'"));
  EXPECT_THAT(refusal("{\"float\":\"inf\"}", "{\"float\":\"infinite\"}"),
              HasSubstr("is string; a number is needed"));
  EXPECT_THAT(refusal("{\"float\":\"inf\"}", "{\"float\":1e999}"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal("\"offset\":{\"int\":0}", "\"offset\":{\"int\":-1}"), HasSubstr("offset -1"));
}

TEST_F(JsonReaderTest, UpgradesOlderOps) {
  ops::OpRegistry& registry = ops::op_registry();
  if (registry.find("test_upgraded") == nullptr) {
    const auto like_x = [](ops::InferContext& ctx) { ctx.set_output("out", ctx.input("x")); };
    ops::OpSchema schema("test_upgraded");
    schema.input("x").output("out").attr("factor", 1.0).version(3).infer(like_x);
    registry.add(schema.upgrade([](int from, Attributes& attributes) {
      if (from < 2) attributes.erase("old_factor");
      attributes["factor"] = 5.0;
    }));
    ops::OpSchema refusing("test_refusing");
    registry.add(refusing.input("x").output("out").version(3).infer(like_x));
  }
  const auto file = [](const std::string& op, int version) {
    return "{\"format\": \"loci.program\", \"format_version\": 1, \"ops\": {\"" + op +
           "\": " + std::to_string(version) +
           R"(}, "main": {"variables": [{"name": "x", "dtype": "float32", "shape": [], "data": true},
           {"name": "y", "dtype": "float32", "shape": []}], "operators": [{"type": ")" +
           op + R"(", "name": "a", "inputs": {"x": ["x"]}, "outputs": {"out": ["y"]},
           "attributes": {)" +
           (op == "test_upgraded" ? R"("old_factor": {"int": 1})" : "") + "}}]}}";
  };
  const ParsedPrograms parsed = from_json(file("test_upgraded", 1), "old.json");
  EXPECT_EQ(std::get<double>(parsed.main->main().ops[0].attributes.at("factor")), 5.0);
  EXPECT_THAT(refusal_of(file("test_refusing", 2)),
              HasSubstr("version 2 of the op test_refusing, which version 3 cannot upgrade"));
}

TEST_F(JsonReaderTest, NamesThePluginOfAnOpThatIsNotThere) {
  EXPECT_THAT(refusal(R"("relu":1)", R"("relu":1,"absent.swish":1)"),
              HasSubstr("ops.absent.swish: [absent.swish] there is no such op, and no plugin "
                        "brings it"));
  std::string text = json_;
  text.replace(text.find(R"("relu":1)"), 8, R"("relu":1,"absent.swish":1)");
  text.replace(text.find("  \"main\""), 8,
               R"(  "plugins": {"absent.swish": "org.absent"}, "main")");
  EXPECT_THAT(refusal_of(text),
              HasSubstr("ops.absent.swish: the op absent.swish is of the plugin org.absent, and no "
                        "plugin that is loaded brings it; give the directory of that plugin with "
                        "--plugin-path or LOCI_PLUGIN_PATH"));
  EXPECT_THAT(refusal("  \"main\"", R"(  "plugins": {"relu": 1}, "main")"),
              HasSubstr("plugins.relu: is number; a string is needed"));
}

TEST_F(JsonReaderTest, ANewerOpOfAPluginNamesThePlugin) {
  ops::OpRegistry& registry = ops::op_registry();
  ops::OpSchema schema("test.aged");
  schema.input("x").output("out").plugin("org.aged").infer([](ops::InferContext& ctx) {
    ctx.set_output("out", ctx.input("x"));
  });
  if (!registry.contains("test.aged")) registry.add(std::move(schema));
  EXPECT_THAT(refusal(R"("relu":1)", R"("relu":1,"test.aged":2)"),
              HasSubstr("the file uses version 2 of the op test.aged, but the plugin org.aged has "
                        "version 1; update it"));
}

// Damage anywhere gives a program or an error of the right kind, never a crash.
TEST_F(JsonReaderTest, SurvivesRandomDamage) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  const std::string digits = "0123456789-+.eE\"{}[],:tfn\\ ";
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = json_;
    const std::size_t edits = 1 + below(3);
    for (std::size_t edit = 0; edit < edits; ++edit) {
      const std::size_t position = below(text.size());
      switch (below(4)) {
        case 0: text[position] = static_cast<char>(below(256)); break;
        case 1: text[position] = digits[below(digits.size())]; break;
        case 2: text.erase(position, 1 + below(20)); break;
        default: text.insert(position, text.substr(below(text.size()), 1 + below(40))); break;
      }
    }
    try {
      const ParsedPrograms parsed = from_json(text, "net.json");
      ASSERT_NO_THROW(Program(parsed.main).verify());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what() << "\n" << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST_F(JsonReaderTest, ReadsBlocks) {
  const Program main;
  {
    const ProgramGuard guard(main);
    const Variable on = data("on", {1}, kBool);
    const Variable x = data("x", {2}, kFloat32);
    cond(
        on,
        [&] {
          return cond(
              on, [&] { return relu(x); }, [&] { return x; });
        },
        [&] {
          return fill_constant({1, 2}, 3, kInt64);
        });
  }
  json_ = to_json(*main.impl(), nullptr);
  const ParsedPrograms parsed = from_json(json_, "net.json");
  EXPECT_EQ(to_json(*parsed.main, nullptr), json_);
  EXPECT_EQ(Program(parsed.main).to_string(), main.to_string());
  EXPECT_EQ(parsed.main->unique_name("relu"), "relu_1") << "names in blocks are taken";
  EXPECT_THAT(refusal("\"blocks\":[{", "\"blocks\":[{\"loop\":1,"),
              HasSubstr("main.operators[0].blocks[0]: has an unknown member 'loop'"));
  EXPECT_THAT(refusal("\"blocks\":[{", "\"blocks\":[3,{"),
              HasSubstr("main.operators[0].blocks[0]: is number; an object is needed"));
  EXPECT_THAT(refusal("\"dtype\":\"none\"", "\"dtype\":\"nothing\""), HasSubstr("is not a dtype"));
}

}  // namespace
}  // namespace loci::program
