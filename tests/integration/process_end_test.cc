// Every way to end a process, with the kernels of every library, at an inline and a queued device,
// while work is queued and when there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <tuple>

#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace loci {
namespace {

using ::testing::Combine;
using ::testing::HasSubstr;
using ::testing::Values;

using Case = std::tuple<std::string, std::string, std::string, std::string>;

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [end, kernel, place, state] = info.param;
  return end + "_" + kernel + "_" + place + "_" + state;
}

const std::string kProgram = test::build_path("bin/process_end_program");

class ProcessEndTest : public ::testing::TestWithParam<Case> {
 protected:
  static test::Finished run() {
    const auto& [end, kernel, place, state] = GetParam();
    return test::run_process({kProgram, end, kernel, place, state});
  }
};

// Queued work has ended before any library did, and stdio's buffers are written.
class FinishingEnd : public ProcessEndTest {};

TEST_P(FinishingEnd, FinishesWhatIsQueued) {
  const test::Finished finished = run();
  EXPECT_EQ(finished.exit_code, 7) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("called\n"));
  if (std::get<2>(GetParam()) == "cpu") {
    EXPECT_THAT(finished.out, HasSubstr("late: 3\n"));
  } else {
    // Results on a device can no longer be fetched, and that is said.
    EXPECT_THAT(finished.out, HasSubstr("the process is ending"));
  }
  EXPECT_EQ(finished.err, "");
}

INSTANTIATE_TEST_SUITE_P(All, FinishingEnd,
                         Combine(Values("return", "exit", "thread", "exit_of_worker",
                                        "exit_of_stranger"),
                                 Values("portable", "matmul", "conv2d", "softmax"),
                                 Values("cpu", "sim"), Values("queued", "idle")),
                         name_of);

class AbandoningEnd : public ProcessEndTest {};

TEST_P(AbandoningEnd, AbandonsWhatIsQueued) {
  const test::Finished finished = run();
  const bool is_signal = std::get<0>(GetParam()) == "signal";
  EXPECT_EQ(finished.exit_code, is_signal ? 128 + SIGTERM : 7) << finished.out << finished.err;
  EXPECT_EQ(finished.err, "");
}

INSTANTIATE_TEST_SUITE_P(All, AbandoningEnd,
                         Combine(Values("quick_exit", "signal"),
                                 Values("portable", "matmul", "conv2d", "softmax"),
                                 Values("cpu", "sim"), Values("queued", "idle")),
                         name_of);

class EndWithOps : public ProcessEndTest {};

TEST_P(EndWithOps, OfALateStaticFail) {
  const test::Finished finished = run();
  EXPECT_EQ(finished.exit_code, 7) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("op: "));
  EXPECT_THAT(finished.out, HasSubstr("the process is ending, and the libraries that compute at "));
  EXPECT_EQ(finished.err, "");
}

INSTANTIATE_TEST_SUITE_P(All, EndWithOps,
                         Combine(Values("static"),
                                 Values("portable", "matmul", "conv2d", "softmax"),
                                 Values("cpu", "sim"), Values("queued", "idle")),
                         name_of);

// The main thread may end before the process does.
class EndOfMainThread : public ProcessEndTest {};

TEST_P(EndOfMainThread, EndsNothingElse) {
  const test::Finished finished = run();
  EXPECT_EQ(finished.exit_code, 7) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("after main: 4\n"));
}

INSTANTIATE_TEST_SUITE_P(All, EndOfMainThread,
                         Combine(Values("pthread_exit"), Values("portable", "matmul"),
                                 Values("cpu", "sim"), Values("queued", "idle")),
                         name_of);

// Threads that nobody joins, and that catch nothing.
class EndMeanwhile : public ProcessEndTest {};

TEST_P(EndMeanwhile, HasItsExitCodeAndNothingToSay) {
  const test::Finished finished = run();
  EXPECT_EQ(finished.exit_code, 7) << finished.out << finished.err;
  EXPECT_EQ(finished.err, "");
}

INSTANTIATE_TEST_SUITE_P(All, EndMeanwhile,
                         Combine(Values("exit", "return", "exit_of_stranger"),
                                 Values("ops", "small_ops", "reads", "gradients", "replays",
                                        "captured", "compiled", "programs", "captures", "streams",
                                        "copies", "profiles"),
                                 Values("cpu", "sim"), Values("meanwhile")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Other, EndMeanwhile,
                         Combine(Values("quick_exit", "exit_of_worker"),
                                 Values("replays", "programs", "ops"), Values("cpu", "sim"),
                                 Values("meanwhile")),
                         name_of);

TEST(ProcessEndLimitTest, WorkThatDoesNotEndIsGivenUp) {
  const test::Finished finished =
      test::run_process({kProgram, "exit", "matmul", "sim", "queued"},
                        {"LOCI_EXIT_TIMEOUT=0", "LOCI_SIM=launch_us=100000"});
  EXPECT_EQ(finished.exit_code, 1) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("called\n"));
  EXPECT_THAT(finished.err, HasSubstr("the process ends with work under way that did not end "
                                      "within 0 s (LOCI_EXIT_TIMEOUT): ops on tensors at sim:0"));
}

TEST(ProcessEndLimitTest, ALimitThatIsNoNumberIsRefused) {
  const test::Finished finished =
      test::run_process({kProgram, "exit", "matmul", "sim", "queued"}, {"LOCI_EXIT_TIMEOUT=soon"});
  EXPECT_THAT(finished.err, HasSubstr("LOCI_EXIT_TIMEOUT"));
}

}  // namespace
}  // namespace loci
