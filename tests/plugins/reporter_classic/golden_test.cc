// Every state, tracer option and key, byte for byte. The files hold what the model itself prints
// for these sessions, but for spaces at the ends of lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "plugins/reporter_classic/reporter.h"
#include "tests/plugins/reporter_classic/golden.h"
#include "tests/plugins/reporter_classic/streams.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using testing::report_of;

// Form, state, tracer option.
using Choice = std::tuple<std::string, std::string, std::string>;

class GoldenTest : public ::testing::TestWithParam<Choice> {
 protected:
  static void expect_goldens(const profiler::Profile& profile, const std::string& folder) {
    const auto& [form, state, tracer_option] = GetParam();
    const auto expected = goldens(folder + "/" + form + "_" + state + "_" + tracer_option + ".txt");
    // The forms differ above the table, so that one order is enough of the older one.
    ASSERT_EQ(expected.size(), form == "2.x" ? 6U : 1U);
    for (const auto& [key, report] : expected) {
      EXPECT_EQ(report_of<ClassicReporter>(profile.abi(), {{"form", form},
                                                           {"state", state},
                                                           {"tracer_option", tracer_option},
                                                           {"sorted_key", key},
                                                           {"quality", "off"}}),
                report)
          << "sorted by " << key;
    }
  }
};

TEST_P(GoldenTest, OfOneThread) { expect_goldens(one_thread(), "one_thread"); }
TEST_P(GoldenTest, OfTwoThreads) { expect_goldens(two_threads(), "two_threads"); }

std::string name_of(const ::testing::TestParamInfo<Choice>& info) {
  const auto& [form, state, tracer_option] = info.param;
  return (form == "1.8" ? "Form18" : "Form2x") + state + tracer_option;
}

INSTANTIATE_TEST_SUITE_P(
    All, GoldenTest,
    ::testing::Combine(::testing::Values("1.8", "2.x"), ::testing::Values("CPU", "GPU", "All"),
                       ::testing::Values("Default", "OpDetail", "AllOpDetail")),
    name_of);

TEST(GoldenOverheadTest, Form18PrintsTheNegativeOverheadOfASpreadRun) {
  const profiler::Profile profile = spread_run();
  EXPECT_EQ(report_of<ClassicReporter>(
                profile.abi(), {{"form", "1.8"}, {"sorted_key", "total"}, {"quality", "off"}}),
            golden("spread_run_1.8.txt"));
}

TEST(GoldenOverheadTest, Form2xAccumulatesAndExplains) {
  const profiler::Profile profile = spread_run();
  EXPECT_EQ(
      report_of<ClassicReporter>(profile.abi(), {{"sorted_key", "total"}, {"quality", "off"}}),
      golden("spread_run_2.x.txt"));
}

}  // namespace
}  // namespace loci::classic
