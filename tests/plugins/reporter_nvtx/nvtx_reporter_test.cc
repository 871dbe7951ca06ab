#include "plugins/reporter_nvtx/nvtx_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

using report::NvtxReporter;
using report::NvtxTool;
using ::testing::ElementsAre;

std::vector<std::string>& ranges() {
  static std::vector<std::string> all;
  return all;
}

int push(const char* message) {
  ranges().emplace_back(message);
  return 0;
}

int pop() {
  ranges().emplace_back("end");
  return 0;
}

class NvtxReporterTest : public ::testing::Test {
 protected:
  void SetUp() override { ranges().clear(); }
  NvtxReporter make(const NvtxTool& tool) {
    return NvtxReporter(host_, sdk::ReporterOptions("nvtx", nullptr, 0), tool);
  }

 private:
  TestHost test_host_;
  sdk::Host host_{test_host_.api()};
};

loci_profile_label label(std::uint32_t kind, std::string_view name) {
  loci_profile_label result{};
  result.kind = kind;
  result.name = sdk::to_abi(name);
  return result;
}

TEST_F(NvtxReporterTest, RangesAreNamedForTheirSpans) {
  const NvtxReporter reporter = make({&push, &pop, "a test"});
  loci_profile_label op = label(LOCI_SPAN_OP, "mul");
  op.instance = sdk::to_abi("fc_0");
  loci_profile_label copy = label(LOCI_SPAN_COPY, "copy");
  copy.variable = sdk::to_abi("x");
  copy.source = sdk::to_abi("cpu");
  copy.target = sdk::to_abi("sim:0");
  loci_profile_label wait = label(LOCI_SPAN_WAIT, "synchronize");
  wait.place = sdk::to_abi("sim:0");
  loci_profile_label user = label(LOCI_SPAN_USER, "epoch");
  user.detail = sdk::to_abi("third");
  for (const loci_profile_label& one : {op, copy, wait, user}) {
    reporter.range_begin(one);
    reporter.range_end();
  }
  EXPECT_THAT(ranges(), ElementsAre("mul fc_0", "end", "copy x cpu -> sim:0", "end",
                                    "synchronize sim:0", "end", "epoch third", "end"));
}

TEST_F(NvtxReporterTest, LongNamesAreCutOff) {
  const std::string name(1000, 'n');
  loci_profile_label op = label(LOCI_SPAN_OP, name);
  op.instance = sdk::to_abi("more");
  make({&push, &pop, "a test"}).range_begin(op);
  EXPECT_THAT(ranges(), ElementsAre(std::string(255, 'n')));
}

TEST_F(NvtxReporterTest, WithoutAToolNothingHappens) {
  const NvtxReporter reporter = make({nullptr, nullptr, "no tool"});
  reporter.range_begin(label(LOCI_SPAN_OP, "mul"));
  reporter.range_end();
  EXPECT_TRUE(ranges().empty());
}

TEST_F(NvtxReporterTest, ItIsAReporterWithRangesAlone) {
  EXPECT_FALSE(sdk::detail::HasReport<NvtxReporter>::value);
  EXPECT_TRUE(sdk::detail::HasRanges<NvtxReporter>::value);
}

}  // namespace
}  // namespace loci::testing
