// Captured runs on the CPU whose launches threads share, as an executor comes to them.
#include "framework/execution/frame_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <loci/inspect.hpp>
#include <loci/loci.hpp>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"
#include "framework/core/sanitizer.h"
#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/support/process_width.h"
#include "tests/support/scratch_directory.h"

namespace loci::execution {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs until the launches of a plan have been measured.
constexpr int kMeasured = 9;

CompileOptions captured(GraphCapture capture = GraphCapture::kAuto) {
  CompileOptions options = CompileOptions::exact();
  options.capture = capture;
  return options;
}

// Two towers over rows of a table, each with an index of its own, trained.
struct Towers {
  explicit Towers(const CompileOptions& options) : executor("cpu", options, Scope()) {
    config::set_seed(5);
    {
      const ProgramGuard building(main, startup);
      const Variable first = data("first", {4}, kInt64);
      const Variable second = data("second", {4}, kInt64);
      const Variable left = tower(first);
      const Variable sum = left + tower(second);
      loss = mean(square(layers::fc(sum, 1)));
      optimizer::Adam(0.01).minimize(loss);
    }
    executor.run(startup);
  }
  static Variable tower(const Variable& index) {
    Variable x = layers::embedding(index, {10, 8});
    for (int i = 0; i < 3; ++i) x = tanh(layers::fc(x, 8));
    return x;
  }
  static Tensor rows(std::int64_t last) {
    return Tensor::from(std::vector<std::int64_t>{1, 2, 3, last}, {4});
  }
  float run(std::int64_t first = 4, std::int64_t second = 5) {
    return executor.run(main, {{"first", rows(first)}, {"second", rows(second)}}, {loss})[0]
        .item<float>();
  }
  inspect::PlanCapture told() {
    return inspect::capture(executor, main, {{"first", rows(4)}, {"second", rows(5)}}, {loss});
  }

  Program main;
  Program startup;
  Variable loss;
  Executor executor;
};

class FrameCoresTest : public ::testing::Test {
 protected:
  FrameCoresTest() { core::set_config_value("CORE_FORKS", "2"); }
  ~FrameCoresTest() override { core::set_config_value("CORE_FORKS", ""); }

  const test::ProcessWidth width_{2};
};

TEST_F(FrameCoresTest, ComputesTheSameBits) {
  Towers plain(captured(GraphCapture::kOff));
  Towers shared(captured());
  for (int i = 0; i < 3 * kMeasured; ++i) EXPECT_EQ(shared.run(), plain.run()) << i;
  const inspect::PlanCapture told = shared.told();
  EXPECT_GT(told.shared_launches, 50U);
  EXPECT_GT(told.pieces, 4U);
  EXPECT_LT(told.pieces, told.shared_launches);
}

TEST_F(FrameCoresTest, OffIsOff) {
  core::set_config_value("CORE_FORKS", "0");
  Towers plain(captured());
  for (int i = 0; i < 2 * kMeasured; ++i) plain.run();
  EXPECT_EQ(plain.told().shared_launches, 0U);
  core::set_config_value("CORE_FORKS", "2");
  CompileOptions one = captured();
  one.streams = 1;
  Towers single(one);
  for (int i = 0; i < 2 * kMeasured; ++i) single.run();
  EXPECT_EQ(single.told().shared_launches, 0U);
}

// Measured, with whatever result; the report says what was chosen.
TEST_F(FrameCoresTest, TheReportTellsWhatWasMeasured) {
  core::set_config_value("CORE_FORKS", "1");
  const auto wide = [](Program& main, Program& startup) {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {64, 64}, kFloat32);
    Variable sum;
    for (int tower = 0; tower < 2; ++tower) {
      Variable y = scale(x, 0.1F * static_cast<float>(tower + 1));
      for (int i = 0; i < 20; ++i) y = tanh(matmul(x, y));
      sum = tower == 0 ? y : sum + y;
    }
    return sum;
  };
  Program main;
  Program startup;
  const Variable sum = wide(main, startup);
  CompileOptions options = captured();
  Executor executor("cpu", options, Scope());
  const Feed feed{{"x", full({64, 64}, 0.01, kFloat32)}};
  for (int i = 0; i < kMeasured; ++i) executor.run(main, feed, {sum});
  inspect::PlanCapture told = inspect::capture(executor, main, feed, {sum});
  if (told.shared_launches == 0) GTEST_SKIP() << "launches took too long to be told apart";
  EXPECT_THAT(told.to_string(), AllOf(HasSubstr("threads share"), HasSubstr("0 runs, 0 without")));
  for (int i = 0; i < 20; ++i) executor.run(main, feed, {sum});
  told = inspect::capture(executor, main, feed, {sum});
  EXPECT_GT(told.plain_runs, 0U);
  EXPECT_GE(told.shared_runs, 8U);
  EXPECT_EQ(told.plain_runs + told.shared_runs, 20U);
  EXPECT_GT(told.shared_ns, 0U);
  EXPECT_GT(told.plain_ns, 0U);
  EXPECT_THAT(told.to_string(), HasSubstr(" us instead of "));
}

std::string error_of(Towers& towers, std::int64_t first, std::int64_t second) {
  try {
    towers.run(first, second);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Whichever track it is in, and whichever thread met it first.
TEST_F(FrameCoresTest, AnErrorIsThatOfTheFirstOperator) {
  Towers plain(captured(GraphCapture::kOff));
  Towers shared(captured());
  for (int i = 0; i < kMeasured + 2; ++i) EXPECT_EQ(shared.run(), plain.run());
  ASSERT_GT(shared.told().shared_launches, 0U);
  for (const auto& [first, second] : {std::pair{77, 5}, {4, 99}, {77, 99}}) {
    const std::string expected = error_of(plain, first, second);
    EXPECT_THAT(expected, AllOf(HasSubstr("embedding"), HasSubstr(first == 4 ? "99" : "77")));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(error_of(shared, first, second), expected);
  }
  EXPECT_GT(shared.run(), 0) << "the next run is as any other";
}

TEST_F(FrameCoresTest, ThreadsHaveFramesOfTheirOwn) {
  Program main;
  Program startup;
  Variable out;
  {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {8, 8}, kFloat32);
    out = tanh(layers::fc(tanh(layers::fc(x, 8)), 8)) + relu(layers::fc(relu(layers::fc(x, 8)), 8));
  }
  Executor executor("cpu", captured(), Scope());
  executor.run(startup);
  const auto run = [&](float value) {
    return executor.run(main, {{"x", full({8, 8}, value, kFloat32)}}, {out})[0].to_vector<float>();
  };
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 3; ++i) expected.push_back(run(static_cast<float>(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(run(static_cast<float>(i)), expected[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(FrameCoresTest, AForkedChildGoesOn) {
#ifdef LOCI_TSAN
  GTEST_SKIP() << "the sanitizer ends the child of a process with threads that starts one";
#endif
  Towers shared(captured());
  Towers plain(captured(GraphCapture::kOff));
  for (int i = 0; i < kMeasured + 3; ++i) EXPECT_EQ(shared.run(), plain.run());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool same = true;
    for (int i = 0; i < 5; ++i) same = same && shared.run() == plain.run();
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// How often operators ran, in which threads; by name.
struct Recorded {
  std::map<std::string, std::uint64_t> calls;
  std::set<std::uint64_t> threads;
};

Recorded record(Towers& towers, int runs, const std::string& tracer) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path("runs.profile");
  Profiler profiler(ProfilerOptions().tracer_option(tracer).no_reporter().profile_path(path));
  for (int i = 0; i < runs; ++i) towers.run();
  EXPECT_THAT(profiler.stop(), IsEmpty());
  const profiler::Profile profile(profiler::read_profile(path));
  const loci_profile& told = profile.abi();
  Recorded recorded;
  for (std::uint64_t i = 0; i < told.span_count; ++i) {
    const loci_profile_span& span = told.spans[i];
    const loci_profile_label& label = told.labels[span.label];
    if (label.kind != LOCI_SPAN_OP) continue;
    ++recorded.calls[std::string(label.name.data, label.name.size)];
    recorded.threads.insert(span.thread);
    EXPECT_LE(span.begin_ns, span.end_ns);
  }
  return recorded;
}

// Each operator as often as without, on the thread that launched it.
TEST_F(FrameCoresTest, AProfileHasTheOperators) {
  Towers plain(captured(GraphCapture::kOff));
  Towers shared(captured());
  for (int i = 0; i < kMeasured + 2; ++i) EXPECT_EQ(shared.run(), plain.run());
  for (const char* tracer : {"Default", "OpDetail"}) {
    const Recorded told = record(shared, 100, tracer);
    EXPECT_EQ(told.calls, record(plain, 100, tracer).calls) << tracer;
    EXPECT_GE(told.threads.size(), 1U);
    EXPECT_LE(told.threads.size(), 2U);
  }
  EXPECT_EQ(shared.run(), plain.run());
}

}  // namespace
}  // namespace loci::execution
