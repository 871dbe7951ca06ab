// The child of a process that has computed: it computes on threads of its own, or says why it
// cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <loci/loci.hpp>
#include <string>

namespace loci {
namespace {

using ::testing::HasSubstr;

// Where the child would wait for threads that it lacks.
constexpr unsigned kSecondsUntilHung = 120;

// Returns what the work gives: its value, or the error.
std::string outcome_of(const std::function<float()>& work) {
  try {
    return std::to_string(work());
  } catch (const Error& error) {
    return error.what();
  }
}

// Runs the work in a child; returns what it gave there, "hung" or "died".
std::string outcome_in_child(const std::function<float()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsUntilHung);
    const std::string outcome = outcome_of(work);
    const bool is_written = write(ends[1], outcome.data(), outcome.size()) >= 0;
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  std::string outcome;
  char buffer[512];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "hung" : "died";
  return outcome;
}

// A chain of the kernels that run on the whole team: oneDNN's and our own.
float run_program(const Place& place) {
  constexpr std::int64_t kSide = 256;
  static const Scope& scope = *new Scope();
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {kSide, kSide}, kFloat32);
  const Variable y = relu(softmax(matmul(x, x)) * static_cast<double>(kSide)) + 1.0;
  Executor executor(place, {}, scope);
  return executor.run(main, {{"x", full({kSide, kSide}, 1.0)}}, {y})[0].to_vector<float>().back();
}

float call_ops(const Place& place) {
  constexpr std::int64_t kSide = 256;
  const Tensor x = full({kSide, kSide}, 1.0, kFloat32, place);
  return (relu(softmax(matmul(x, x)) * static_cast<double>(kSide)) + 1.0).to_vector<float>().back();
}

TEST(ForkTest, AProgramRunsOnTheCpuOfTheChild) {
  const auto work = [] { return run_program("cpu"); };
  const std::string before = outcome_of(work);
  EXPECT_EQ(outcome_in_child(work), before);
  EXPECT_EQ(outcome_of(work), before);
}

TEST(ForkTest, OpsRunOnTheCpuOfTheChild) {
  const auto work = [] { return call_ops("cpu"); };
  const std::string before = outcome_of(work);
  EXPECT_EQ(outcome_in_child(work), before);
  EXPECT_EQ(outcome_of(work), before);
}

TEST(ForkTest, AProgramIsRefusedOnADeviceOfTheParent) {
  const auto work = [] { return run_program("sim"); };
  const std::string before = outcome_of(work);
  EXPECT_THAT(outcome_in_child(work),
              HasSubstr("sim:0 was opened before this process was forked, and belongs to its "
                        "parent; fork first, or start a new program"));
  EXPECT_EQ(outcome_of(work), before);
}

TEST(ForkTest, ATensorOnADeviceOfTheParentIsRefused) {
  const Tensor there = full({4}, 2.0, kFloat32, "sim");
  synchronize();
  const auto read = [&] { return there.to_vector<float>().front(); };
  EXPECT_THAT(outcome_in_child(read), HasSubstr("belongs to its parent"));
  EXPECT_EQ(read(), 2.0F);
}

TEST(ForkTest, AVariableOnADeviceOfTheParentIsRefused) {
  const Scope scope;
  const Program main;
  const Program startup;
  const ProgramGuard guard(main, startup);
  const Variable x = data("x", {2, 8}, kFloat32);
  const Variable y = layers::fc(x, 4);
  Executor executor("sim", {}, scope);
  executor.run(startup, {}, {});
  executor.run(main, {{"x", full({2, 8}, 1.0)}}, {y});
  const std::string name = scope.names().front();
  const auto read = [&] { return scope.find(name).to_vector<float>().front(); };
  const std::string before = outcome_of(read);
  EXPECT_THAT(outcome_in_child(read), HasSubstr("belongs to its parent"));
  EXPECT_EQ(outcome_of(read), before);
}

TEST(ForkTest, TheChildHasThreadsOfItsOwn) {
  config::set_threads(3);
  const std::string before = outcome_of([] { return call_ops("cpu"); });
  EXPECT_EQ(outcome_in_child([] { return call_ops("cpu"); }), before);
  EXPECT_EQ(outcome_in_child([] {
              config::set_threads(2);
              return call_ops("cpu") + static_cast<float>(config::threads());
            }),
            std::to_string(std::stof(before) + 2));
}

}  // namespace
}  // namespace loci
