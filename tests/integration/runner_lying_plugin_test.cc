// Plugins that break the contract in this very process: each is named, and what does not need it
// works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "framework/core/sanitizer.h"
#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kRiskyId = "org.loci.test.risky";

class LyingPluginTest : public RunnerTest {
 protected:
  LyingPluginTest() {
    fs::create_directory(path("plugins"));
    fs::copy_file(kRiskyPlugin, path("plugins/loci-risky.so"));
  }

  Finished run_on(const std::string& device, const std::string& environment) const {
    return loci({"run", inference_model(), "--feed", "x=1", "--device", device, "--plugin-path",
                 path("plugins"), "--fallback", "allow"},
                {environment});
  }

  void expect_refused(const std::string& environment, const std::string& cause) const {
    const Finished on_risky = run_on("risky", environment);
    EXPECT_THAT(on_risky.exit_code, ::testing::AnyOf(4, 5)) << environment << on_risky.err;
    EXPECT_THAT(on_risky.err, HasSubstr("loci: error: ")) << environment;
    EXPECT_THAT(on_risky.err, AllOf(HasSubstr("risky"), HasSubstr(cause))) << environment;
    const Finished on_cpu = run_on("cpu", environment);
    EXPECT_EQ(on_cpu.exit_code, 0) << environment << on_cpu.err;
  }
};

TEST_F(LyingPluginTest, AGoodOneRuns) {
  const Finished finished = run_on("risky", "LOCI_TEST_RISK=none in launch");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

// With status 0, so that nothing but the plugin's own end would tell.
class ExitIn : public LyingPluginTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ExitIn, IsAFailureWithThePluginsName) {
  for (const char* deed : {"succeed", "leave quickly"}) {
    const std::string risk = std::string(deed) + " in " + GetParam();
    const Finished finished = run_on("risky", "LOCI_TEST_RISK=" + risk);
    EXPECT_EQ(finished.exit_code, 5) << risk;
    EXPECT_THAT(finished.err,
                AllOf(StartsWith("loci: error: [plugin] org.loci.test.risky ended this process"),
                      HasSubstr("called exit()")))
        << risk;
    EXPECT_EQ(finished.out, "") << risk;
  }
}

INSTANTIATE_TEST_SUITE_P(LyingPluginTest, ExitIn,
                         ::testing::Values("load", "query", "create", "get_interface", "probe",
                                           "defs", "count", "describe", "open", "supports",
                                           "create_kernel", "prepare", "launch"),
                         [](const auto& tested) { return std::string(tested.param); });

// No call is noted where kernels run: the frames of the stack say whose code it was.
#if !defined(LOCI_ASAN) && !defined(LOCI_TSAN)  // whose handlers come first
TEST_F(LyingPluginTest, AKernelThatEndsTheProcessIsNamed) {
  for (const auto& [deed, signal] : {std::pair("crash", SIGSEGV), std::pair("abort", SIGABRT)}) {
    const Finished finished = run_on("risky", std::string("LOCI_TEST_RISK=") + deed + " in launch");
    EXPECT_EQ(finished.exit_code, 128 + signal) << deed;
    EXPECT_THAT(finished.err, AllOf(HasSubstr("[plugin] loci-risky.so was in a kernel"),
                                    HasSubstr("--no-plugin")))
        << deed;
  }
}
#endif

TEST_F(LyingPluginTest, ExceptionsOfAnyTypeAreRefused) {
  for (const std::string function : {"count", "describe", "open", "supports", "prepare"}) {
    const bool is_of_device = function == "describe" || function == "open";
    const std::string call =
        std::string(kRiskyId) + ": its " + function + (is_of_device ? " of risky:0" : "");
    expect_refused("LOCI_TEST_RISK=throw an int in " + function,
                   call + " let an exception escape: of a type that is not a std::exception");
    expect_refused("LOCI_TEST_RISK=throw in " + function,
                   call + " let an exception escape: out of " + function);
  }
}

TEST_F(LyingPluginTest, ACountBeyondTheLimitIsRefused) {
  expect_refused("LOCI_TEST_LIE=devices", std::string(kRiskyId) +
                                              ": its count gave 1000000 devices; there are at "
                                              "most 1024");
  expect_refused("LOCI_TEST_LIE=kernels",
                 "its defs gave 1099511627776 kernels; there are at most 65536");
}

TEST_F(LyingPluginTest, ATextOfAWildLengthIsNotRead) {
  expect_refused("LOCI_TEST_LIE=id", "its id states a length of 1152921504606846976 bytes");
  expect_refused("LOCI_TEST_LIE=kernel name", "its kernel 0's name states a length of");
  expect_refused("LOCI_TEST_LIE=device name", "its describe's name states a length of");
}

TEST_F(LyingPluginTest, AListOfDevicesHasTheRest) {
  const Finished finished =
      loci({"devices", "--plugin-path", path("plugins")}, {"LOCI_TEST_LIE=devices"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("cpu"), HasSubstr("its count gave 1000000 devices")));
}

}  // namespace
}  // namespace loci::test
