#include "tools/conformance/verify/ops/own_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/error.hpp>
#include <loci/io.hpp>

#include "tests/support/scratch_directory.h"
#include "tools/conformance/check.h"

namespace loci::verify {
namespace {

using conformance::Case;
using conformance::Real;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A list of one case with these members besides its name and op.
std::string one_case(const std::string& members) {
  return R"([{"name": "small", "op": "example.join", )" + members + "}]";
}
constexpr const char* kArray = R"({"dtype": "float32", "shape": [2], "values": [1, "-inf"]})";
std::string with_inputs(const std::string& inputs, const std::string& outputs = "") {
  const std::string given = outputs.empty() ? std::string("[") + kArray + "]" : outputs;
  return one_case(R"("inputs": )" + inputs + R"(, "outputs": )" + given);
}

void expect_refusal(const std::string& json, const char* message) {
  EXPECT_THAT([&] { parse_own_cases(json, "."); }, ThrowsMessage<Error>(HasSubstr(message)));
}

TEST(OwnCases, AreReadWithSlotsInTheirOrder) {
  const auto cases = parse_own_cases(
      with_inputs(std::string(R"({"x": [)") + kArray + "," + kArray + R"(], "index": )" +
                  R"({"dtype": "int64", "shape": [], "values": [9007199254740993]}})"),
      ".");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].name(), "own/example.join/float32/[2],[2],[]/small");
  const conformance::Arrays inputs = cases[0].make_inputs();
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_THAT(inputs[1].values, ElementsAre(1, -std::numeric_limits<Real>::infinity()));
  EXPECT_EQ(inputs[2].values[0], Real{9007199254740993});
}

TEST(OwnCases, BoundsAreAbsoluteAndRelative) {
  const auto bound = [](const std::string& tolerance) {
    const std::string output =
        R"([{"dtype": "float64", "shape": [1], "values": [-100])" + tolerance + "}]";
    const auto cases = parse_own_cases(with_inputs("{}", output), ".");
    return conformance::bound_of(cases[0].reference({})[0], 0);
  };
  EXPECT_EQ(bound(""), 0);
  EXPECT_NEAR(static_cast<double>(bound(R"(, "absolute": 0.5)")), 0.5, 0.01);
  EXPECT_NEAR(static_cast<double>(bound(R"(, "relative": 0.01)")), 1.0, 0.01);
}

TEST(OwnCases, FilesLieBesideTheList) {
  const test::ScratchDirectory directory;
  io::save_npy(directory.path("x.npy"), Tensor::from<float>({1, 2, 3}, Shape{3}));
  const auto cases = parse_own_cases(with_inputs(R"({"x": {"file": "x.npy"}})"), directory.path());
  EXPECT_THAT(cases[0].make_inputs()[0].values, ElementsAre(1, 2, 3));
}

TEST(OwnCases, BadOnesAreRefusedByName) {
  expect_refusal("{}", "it is no JSON array");
  expect_refusal("[1]", "case 0 is no object");
  expect_refusal("[{}]", "case 0 has no \"op\"");
  expect_refusal(one_case(R"("inputs": {}, "output": [])"), "unknown member 'output'");
  expect_refusal(one_case(R"("inputs": 1, "outputs": [])"), "\"inputs\" of case 0 is no object");
  expect_refusal(one_case(R"("inputs": {}, "outputs": [])"), "no array of one or more");
  expect_refusal(with_inputs(R"({"x": {"dtype": "float31", "shape": [], "values": [1]}})"),
                 "float31");
  expect_refusal(with_inputs(R"({"x": {"dtype": "int8", "shape": [-1], "values": [1]}})"),
                 "input x of case 0 has the extent -1");
  expect_refusal(with_inputs(R"({"x": {"dtype": "int8", "shape": [2], "values": [1]}})"),
                 "input x of case 0 has 1 values, and its shape 2 elements");
  expect_refusal(with_inputs(R"({"x": {"dtype": "int8", "shape": [1], "values": ["a"]}})"),
                 "the value \"a\", which is no number");
  expect_refusal(
      with_inputs("{}", R"([{"dtype": "int8", "shape": [], "values": [1], "absolute": -1}])"),
      "\"absolute\" of output 0 of case 0");
  expect_refusal(one_case(R"("inputs": {}, "attributes": {"a": null}, "outputs": [])"),
                 "attribute a of case 0 is null");
  const std::string twice = with_inputs("{}");
  expect_refusal("[" + twice.substr(1, twice.size() - 2) + "," + twice.substr(1),
                 "two cases have the name own/example.join/small");
}

TEST(OwnCases, AMissingFileIsNamed) {
  EXPECT_THAT([] { read_own_cases("/nowhere/cases.json"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[cases]"), HasSubstr("/nowhere/cases.json"))));
}

}  // namespace
}  // namespace loci::verify
