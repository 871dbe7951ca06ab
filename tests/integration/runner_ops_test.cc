// `loci ops`: what authors of kernels have to know of an op.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OpsTest : public RunnerTest {
 protected:
  static std::vector<std::string> with_plugin(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--plugin", build_path("lib/loci/test_plugins/loci-test_swish.so")});
    return arguments;
  }
};

TEST_F(OpsTest, JsonTellsOneOp) {
  const json ops = loci_json({"ops", "softmax", "--json"})["ops"];
  ASSERT_EQ(ops.size(), 1U);
  const json& op = ops[0];
  EXPECT_EQ(op["name"], "softmax");
  EXPECT_EQ(op["plugin"], nullptr);
  EXPECT_EQ(op["version"], 1);
  EXPECT_EQ(op["inputs"][0]["dtypes"], json({"float16", "bfloat16", "float32", "float64"}));
  EXPECT_EQ(op["inputs"][0]["residence"], "device");
  EXPECT_EQ(op["outputs"][0]["dtype"], "as x");
  EXPECT_EQ(op["outputs"][0]["extent"], "inferred");
  EXPECT_THAT(op["accuracy"], HasSubstr("roundoffs of out"));
  EXPECT_EQ(op["attributes"][0]["name"], "axis");
  EXPECT_EQ(op["attributes"][0]["kind"], "int64");
  EXPECT_EQ(op["attributes"][0]["required"], false);
  EXPECT_EQ(op["attributes"][0]["default"], -1);
  EXPECT_THAT(op["attributes"][0]["meaning"], HasSubstr("the dimension along which"));
  EXPECT_EQ(op["attributes"][0]["minimum"], nullptr);
  EXPECT_EQ(op["decomposable"], true);
  EXPECT_EQ(op["gradient_ops"], json({"elementwise_mul", "elementwise_sub", "reduce_sum"}));
}

TEST_F(OpsTest, TextTellsTheSame) {
  EXPECT_THAT(loci({"ops", "sgd"}).out,
              AllOf(HasSubstr("sgd, version 1\n"), HasSubstr("input     rows "),
                    HasSubstr("optional; int32, int64"),
                    HasSubstr("accuracy  2 roundoffs of |learning_rate * grad|"),
                    HasSubstr("output    param_out  as param; the memory of input param"),
                    HasSubstr("gradient  none")));
  EXPECT_THAT(loci({"ops", "nonzero"}).out, HasSubstr("bounded: the kernel writes its extent to"));
  EXPECT_THAT(loci({"ops", "dropout"}).out, HasSubstr("  output    mask  uint8\n"));
  EXPECT_THAT(loci({"ops", "dropout"}).out,
              HasSubstr("float64; default 0.5; the probability with which an element becomes 0\n"));
}

TEST_F(OpsTest, ListsAllOpsThoseOfPluginsToo) {
  const json ops = loci_json(with_plugin({"ops", "--json"}))["ops"];
  EXPECT_GT(ops.size(), 100U);
  const auto swish = std::find_if(ops.begin(), ops.end(),
                                  [](const json& op) { return op["name"] == "sample.swish"; });
  ASSERT_NE(swish, ops.end());
  EXPECT_EQ((*swish)["plugin"], "org.example.sample");
  EXPECT_EQ((*swish)["meaning"], "x / (1 + exp(-beta * x))");
  // The plugin says nothing of these.
  EXPECT_EQ((*swish)["accuracy"], nullptr);
  EXPECT_EQ((*swish)["outputs"][0]["dtype"], nullptr);
  EXPECT_THAT(loci(with_plugin({"ops"})).out, AllOf(HasSubstr("\nrelu "), HasSubstr("max(x, 0)"),
                                                    HasSubstr("(org.example.sample)")));
}

TEST_F(OpsTest, AnUnknownNameIsAUsageErrorWithSuggestions) {
  EXPECT_THAT(failure(2, {"ops", "sofmax"}), HasSubstr("did you mean 'softmax'?"));
  EXPECT_THAT(failure(2, with_plugin({"ops", "sample.swsh"})),
              HasSubstr("did you mean 'sample.swish'?"));
}

}  // namespace
}  // namespace loci::test
