#include "framework/plugin/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using plugins::Stage;
using test::EnvironmentGuard;
using testing::ElementsAre;

class Trial : public testing::Test {
 protected:
  void try_plugin(const std::string& name) {
    record_.report.path = test::built_plugin(name).string();
    record_.quiet = true;
    examine(record_);
    try_out(record_, [this](std::string_view step) { steps_.emplace_back(step); });
  }

  Record record_;
  std::vector<std::string> steps_;
};

TEST_F(Trial, CallsAllThatDiscoveryCallsInOrder) {
  try_plugin("minimal");
  EXPECT_FALSE(record_.report.failed) << record_.report.cause;
  EXPECT_EQ(record_.report.stage, Stage::kActive);
  EXPECT_EQ(record_.report.score, 1);
  EXPECT_THAT(steps_, ElementsAre("load", "loci_plugin_query_v1", "create", "get_interface",
                                  "get_interface", "probe", "get_interface", "defs", "count",
                                  "describe of minimal:0", "open of minimal:0",
                                  "close of minimal:0", "destroy"));
  EXPECT_EQ(record_.instance->handle(), nullptr);
}

TEST_F(Trial, AsksNoDevicesOfABackendThatHasNone) {
  const EnvironmentGuard guard("LOCI_MINIMAL_SCORE", "0");
  try_plugin("minimal");
  EXPECT_FALSE(record_.report.failed) << record_.report.cause;
  EXPECT_EQ(record_.report.unavailable, "the configured score is 0");
  EXPECT_THAT(steps_, testing::Not(testing::Contains("count")));
}

TEST_F(Trial, ReportsWhatDescribeLetsOut) {
  const EnvironmentGuard guard("LOCI_TEST_RISK", "throw in describe");
  try_plugin("risky");
  EXPECT_TRUE(record_.report.failed);
  EXPECT_EQ(record_.report.cause,
            "its describe of risky:0 let an exception escape: out of describe");
  EXPECT_EQ(steps_.back(), "destroy");
}

TEST_F(Trial, ReportsWhatOpenAndCloseLetOut) {
  for (const std::string function : {"open", "close"}) {
    const EnvironmentGuard guard("LOCI_TEST_RISK", ("throw an int in " + function).c_str());
    record_ = {};
    try_plugin("risky");
    EXPECT_EQ(record_.report.cause,
              "its " + function +
                  " of risky:0 let an exception escape: of a type that is not a "
                  "std::exception");
  }
}

TEST_F(Trial, ADeviceThatCannotBeOpenedNowIsNoFailure) {
  const EnvironmentGuard guard("LOCI_TEST_RISK", "fail in open");
  try_plugin("risky");
  EXPECT_FALSE(record_.report.failed) << record_.report.cause;
  EXPECT_THAT(steps_, testing::Not(testing::Contains("close")));
}

TEST_F(Trial, ReportsACountBeyondTheLimit) {
  const EnvironmentGuard guard("LOCI_TEST_LIE", "devices");
  try_plugin("risky");
  EXPECT_EQ(record_.report.cause, "its count gave 1000000 devices; there are at most 1024");
}

TEST_F(Trial, ReportsWhatDestroyLetsOut) {
  const EnvironmentGuard guard("LOCI_TEST_RISK", "throw in destroy");
  try_plugin("risky");
  EXPECT_EQ(record_.report.cause, "its destroy let an exception escape: out of destroy");
}

TEST_F(Trial, EndsAtTheFirstFailure) {
  const EnvironmentGuard guard("LOCI_TEST_RISK", "throw in create");
  try_plugin("risky");
  EXPECT_EQ(record_.report.cause, "its create let an exception escape: out of create");
  EXPECT_EQ(steps_.back(), "create");
}

TEST_F(Trial, LeavesOneThatIsNoPluginAlone) {
  record_.report.path = "/no/such/plugin.so";
  record_.quiet = true;
  examine(record_);
  const std::string cause = record_.report.cause;
  try_out(record_, [this](std::string_view step) { steps_.emplace_back(step); });
  EXPECT_EQ(record_.report.cause, cause);
  EXPECT_TRUE(steps_.empty());
}

}  // namespace
}  // namespace loci::plugin
