#include "framework/plugin/exit_watch.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "framework/core/sanitizer.h"
#include "framework/plugin/library.h"
#include "framework/plugin/negotiation.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::EnvironmentGuard;
using testing::ExitedWithCode;

// Each in a process of its own.
class ExitWatch : public testing::Test {
 protected:
  // Maps the risky plugin, watched as the manager does it, and calls it.
  void use(const char* risk) const {
    const EnvironmentGuard guard("LOCI_TEST_RISK", risk);
    watch_exits("org.loci.test.risky", path_);
    const Library library(path_, {});
    watch_exits("org.loci.test.risky", path_);
    const loci_host_info info = host_info(this_host());
    library.query_function()(&info);
  }

  test::PluginFolder folder_;
  std::string path_ = folder_.add("risky").string();  // a copy that no other test has mapped
};

constexpr const char* kLine = "loci: error: \\[plugin\\] org.loci.test.risky ended this process";

TEST_F(ExitWatch, NamesThePluginThatExits) {
  for (const char* risk : {"succeed in query", "exit in query", "leave quickly in query",
                           "succeed in load", "leave quickly in load"}) {
    EXPECT_EXIT(use(risk), ExitedWithCode(kPluginExitStatus), kLine) << risk;
  }
}

TEST_F(ExitWatch, NamesItInAnyThread) {
  EXPECT_EXIT(std::thread([this] { use("succeed in query"); }).join(),
              ExitedWithCode(kPluginExitStatus), kLine);
}

TEST_F(ExitWatch, LeavesTheApplicationsExitAlone) {
  const auto use_and_exit = [this] {
    use("none");
    std::exit(3);
  };
  EXPECT_EXIT(use_and_exit(), ExitedWithCode(3), "^$");
  const auto use_and_leave = [this] {
    use("none");
    std::quick_exit(4);
  };
  EXPECT_EXIT(use_and_leave(), ExitedWithCode(4), "^$");
}

TEST_F(ExitWatch, ASignalInTheMiddleOfACallIsNotThePlugins) {
#ifdef LOCI_TSAN
  GTEST_SKIP() << "the thread sanitizer reports exit() in a handler, which this is about";
#endif
  const auto exit_by_signal = [this] {
    std::signal(SIGUSR1, [](int) { std::exit(7); });
    use("interrupt in query");
  };
  EXPECT_EXIT(exit_by_signal(), ExitedWithCode(7), "^$");
}

TEST_F(ExitWatch, ACopyOfTheProcessIsLeftToItsOwn) {
  const auto fork_and_leave = [this] {
    use("fork and leave in query");
    std::exit(0);
  };
  EXPECT_EXIT(fork_and_leave(), ExitedWithCode(0), "the copy ended with 9");
}

}  // namespace
}  // namespace loci::plugin
