// Plugins with an op of their own (../faulty_op and the template): verify looks at that op, and at
// nothing of the plugin whose device computes it.
#include "tools/conformance/verify/ops/own_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tools/conformance/verify/ops/own_cases.h"
#include "tools/conformance/verify/verify.h"
#include "tools/conformance/verify/verify_report.h"

namespace loci::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Options options_for_op(const std::string& file, const std::string& level = "ops") {
  Options options;
  options.file = test::build_path("lib/loci/" + file + ".so");
  options.levels = {level};
  options.directories = {test::plugin_directory()};
  return options;
}

struct OwnFault {
  const char* fault;
  const char* check;
  const char* message;
};

void PrintTo(const OwnFault& planted, std::ostream* out) { *out << planted.fault; }

class FaultyOp : public ::testing::TestWithParam<OwnFault> {};

TEST_P(FaultyOp, IsFoundAndNamed) {
  const Report report =
      verify(options_for_op(std::string("faulty_plugins/loci-op_") + GetParam().fault));
  ASSERT_THAT(report.failures(), SizeIs(1)) << to_text(report);
  EXPECT_EQ(report.failures()[0].check, std::string("ops/own/rules.cube/") + GetParam().check);
  EXPECT_THAT(report.failures()[0].message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyOp,
    ::testing::Values(
        OwnFault{"wrong_float32", "kernels", "own/rules.cube/float32/[3, 5]: output 0"},
        OwnFault{"refuses_float16", "inference",
                 "rules.cube takes float16 by its definition, and inference refuses"},
        OwnFault{"guesses_extents", "inference", "[1, 5] where the first extent is unknown"},
        OwnFault{"wrong_gradient", "gradient", "central differences give"},
        OwnFault{"no_gradient", "gradient", "input 0 gets no gradient"}),
    [](const auto& tested) { return std::string(tested.param.fault); });

// The plugin is as `loci plugins new --kind op` writes it: the CPU plugin is there for its device,
// and what that one brings is none of its business.
TEST(OwnOps, TheTemplatePassesAndIsAllThatIsLookedAt) {
  for (const std::string& level : level_names()) {
    const Report report = verify(options_for_op("test_plugins/loci-test_swish", level));
    EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
    if (level != "ops") continue;
    EXPECT_EQ(report.counts()[Outcome::kPassed], 4U) << to_text(report);
    EXPECT_THAT(to_text(report), HasSubstr("cases ran org.example.sample/sample"));
  }
}

TEST(OwnOps, WithoutADeviceToRunOnIsASkip) {
  Options options = options_for_op("test_plugins/loci-test_swish");
  options.directories = {};
  options.place = "cpu:7";
  const Report report = verify(options);
  EXPECT_THAT(report.failures(), IsEmpty()) << to_text(report);
  EXPECT_THAT(to_text(report), HasSubstr("it brings no device of its own"));
}

TEST(OwnOps, CasesOfOnesOwnRunFirstAndAreCompared) {
  Options options = options_for_op("faulty_plugins/loci-op_cube");
  options.filter = "^ops/own/rules.cube/float32/";
  options.own_cases = parse_own_cases(R"([
    {"name": "right", "op": "rules.cube", "outputs": [{"dtype": "float32", "shape": [2],
     "values": [8, -1.728], "relative": 1e-6}],
     "inputs": {"x": {"dtype": "float32", "shape": [2], "values": [2, -1.2]}}},
    {"name": "wrong", "op": "rules.cube", "outputs": [{"dtype": "float32", "shape": [2],
     "values": [8, -1.7], "absolute": 1e-3}],
     "inputs": {"x": {"dtype": "float32", "shape": [2], "values": [2, -1.2]}}}])",
                                      ".");
  const Report report = verify(options);
  EXPECT_EQ(report.counts().at(Outcome::kPassed), 1U);
  ASSERT_THAT(report.failures(), SizeIs(1)) << to_text(report);
  EXPECT_EQ(report.failures()[0].check, "ops/own/rules.cube/float32/[2]/wrong");
  EXPECT_THAT(report.failures()[0].message, HasSubstr("want -1.7"));
}

}  // namespace
}  // namespace loci::verify
