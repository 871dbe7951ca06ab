// Advice of the page, followed: a run, its advice, the same run with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <loci/io.hpp>
#include <loci/loci.hpp>
#include <loci/profiler.hpp>
#include <regex>
#include <set>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;
using ::testing::HasSubstr;

constexpr int kSteps = 8;
constexpr int kTries = 5;

// The figures that the page and the JSON report say of a run.
struct Profiled {
  json advice;
  std::uint64_t copies = 0;  // in a step, without feed, fetch and what is loaded once

  // Those of a rule whose text has that in it.
  [[nodiscard]] json with(const std::string& rule, const std::string& text = "") const {
    json found = json::array();
    for (const json& one : advice) {
      const bool has_text = one["text"].get<std::string>().find(text) != std::string::npos;
      if (one["rule"] == rule && has_text) found.push_back(one);
    }
    return found;
  }
  // The first group of the expression in the text of the only one of the rule.
  [[nodiscard]] std::string word(const std::string& rule, const std::string& expression) const {
    const json found = with(rule);
    if (found.size() != 1) {
      ADD_FAILURE() << found;
      return {};
    }
    const std::string text = found[0]["text"];
    std::smatch match;
    EXPECT_TRUE(std::regex_search(text, match, std::regex(expression))) << text;
    return match.empty() ? std::string() : match[1].str();
  }
};

double fact(const json& advice, const std::string& name) {
  for (const json& each : advice["facts"]) {
    if (each[0] == name) return each[2].get<double>();
  }
  ADD_FAILURE() << name << ": " << advice;
  return 0;
}

double sum_of(const json& advice, const std::string& name) {
  double sum = 0;
  for (const json& one : advice) sum += fact(one, name);
  return sum;
}

// The run is as the advice has it: without those copies, and without that advice.
void expect_saved(const Profiled& before, const Profiled& after, const std::string& rule) {
  const json advice = before.with(rule);
  ASSERT_EQ(advice.size(), 1U) << before.advice;
  EXPECT_GT(fact(advice[0], "Saves copies a step"), 0);
  EXPECT_EQ(static_cast<double>(after.copies),
            static_cast<double>(before.copies) - fact(advice[0], "Saves copies a step"));
  EXPECT_EQ(after.with(rule).size(), 0U) << after.advice;
}

class FollowedAdviceTest : public RunnerTest {
 protected:
  using Middle = std::function<Variable(const Variable&)>;

  // Makes a program for x float32[-1, 16] on sim: what `middle` makes of x * w + b, summed.
  std::string program(const Middle& middle) const {
    Program main, startup;
    {
      const ProgramGuard building(main, startup);
      const Variable x = data("x", {-1, 16}, kFloat32);
      const Variable w = create_persistable({16, 32}, kFloat32, initializer::constant(0.01), "w");
      const Variable b = create_persistable({32}, kFloat32, initializer::constant(0.1), "b");
      result_ = reduce_sum(middle(matmul(x, w) + b), {1}).name();
    }
    io::save_program(path("model"), main, startup);
    return path("model");
  }

  Profiled run(const std::string& model, const Strings& more, const Strings& environment = {},
               const std::string& feed = "random:4x16") const {
    Strings arguments = {"run",        model,
                         "--device",   "sim",
                         "--feed",     "x=" + feed,
                         "--fetch",    result_,
                         "--warmup",   "3",
                         "--repeat",   std::to_string(kSteps),
                         "--profile",  "all",
                         "--reporter", "html=" + path("page.html"),
                         "--reporter", "json=" + path("profile.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = loci(arguments, environment);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return read_reports();
  }

  // Profiles steps of this process, but for two that come first.
  Profiled run(const std::function<void()>& step) const {
    for (int i = 0; i < 2; ++i) step();
    synchronize();
    Profiler profiler(ProfilerOptions()
                          .reporter("html=" + path("page.html"))
                          .reporter("json=" + path("profile.json")));
    for (int i = 0; i < kSteps; ++i) {
      if (i > 0) profiler.step();
      step();
      synchronize();
    }
    for (const std::string& failure : profiler.stop()) ADD_FAILURE() << failure;
    return read_reports();
  }

  [[nodiscard]] Profiled read_reports() const {
    static const std::set<std::string> kOthers = {"feed", "fetch", "load", "pack", "local"};
    const json profile = json::parse(read("profile.json"));
    std::uint64_t calls = 0;
    for (const json& copy : profile["copies"]) {
      if (kOthers.count(copy["reason"]) == 0) calls += copy["calls"].get<std::uint64_t>();
    }
    const std::string page = read("page.html");
    const std::string begin = "\"advice\":";
    const std::size_t at = page.find(begin) + begin.size();
    return {json::parse(page.substr(at, page.find(",\"steps\":", at) - at)), calls / kSteps};
  }

  mutable std::string result_;
};

Variable bent_on_cpu(const Variable& value) {
  const DeviceGuard guard("cpu");
  return tanh(value);
}

TEST_F(FollowedAdviceTest, AnOperatorBetweenOthersOfADevice) {
  const std::string model = program([](const Variable& x) { return bent_on_cpu(x) * 2.0; });
  const Profiled before = run(model, Strings{});
  EXPECT_EQ(before.copies, 2U);
  const std::string guard = before.word("round_trip", "--guard ([^ )]*)");
  expect_saved(before, run(model, {"--guard", guard}), "round_trip");
}

// Two that were fused have no name that a guard takes. The bias is brought to the device once,
// which is no matter of a step.
TEST_F(FollowedAdviceTest, FusedOperatorsBetweenOthersOfADevice) {
  const std::string model = program([](const Variable& value) {
    const DeviceGuard guard("cpu");
    return tanh(value) * 2.0;
  });
  const Profiled before = run(model, Strings{});
  EXPECT_EQ(before.copies, 2U);
  const std::string place = before.word("round_trip", "^Run it on ([^ ]*) too: its values");
  const Strings guards = {"--guard", "tanh_0=" + place, "--guard", "scale_0=" + place};
  expect_saved(before, run(model, guards), "round_trip");
}

// To bring a kernel is what helps; here the device has one as soon as its setting lets it.
TEST_F(FollowedAdviceTest, AnOperatorThatADeviceHasNoKernelOf) {
  const std::string model = program([](const Variable& x) { return transpose(x * 2.0, {1, 0}); });
  const Profiled before = run(model, {}, {"LOCI_SIM=without=transpose"});
  EXPECT_EQ(before.word("round_trip", "(.*) has no kernel for it"), "sim:0");
  expect_saved(before, run(model, Strings{}), "round_trip");
}

TEST_F(FollowedAdviceTest, WhatAnOperatorMakesElsewhere) {
  const std::string model =
      program([](const Variable& x) { return x * bent_on_cpu(data("table", {32}, kFloat32)); });
  const Strings table = {"--feed", "table=random:32"};
  const Profiled before = run(model, table);
  const std::string guard = before.word("repeated_copy", "^([^ ]*) makes it on cpu") + "=" +
                            before.word("repeated_copy", "both on ([^.]*)");
  expect_saved(before, run(model, {table[0], table[1], "--guard", guard}), "repeated_copy");
}

TEST_F(FollowedAdviceTest, ATensorThatStaysElsewhere) {
  const DeviceGuard guard("sim:0");
  const Tensor x = full({64, 16}, 0.5, kFloat32, "sim:0");
  Tensor y = full({64, 16}, 0.5, kFloat32, "cpu");
  y.set_name("y");
  const auto step = [&] { static_cast<void>(x + y); };
  const Profiled before = run(step);
  y = y.to(before.word("repeated_copy", R"re(to\("([^"]*)"\))re"));
  expect_saved(before, run(step), "repeated_copy");
}

// Programs of two places change the variable by turns.
TEST_F(FollowedAdviceTest, AVariableThatGoesThereAndBack) {
  const Program main, startup;
  Variable loss;
  {
    const ProgramGuard building(main, startup);
    loss = reduce_mean(tanh(create_parameter({16, 16}, kFloat32, initializer::constant(0.1), "w")));
    static_cast<void>(optimizer::SGD(0.01).minimize(loss));
  }
  const Scope scope;
  static_cast<void>(Executor(Place("cpu"), {}, scope).run(startup));
  const auto by_turns = [&](const Place& one, const Place& other) {
    Executor first(one, {}, scope), second(other, {}, scope);
    return run([&] {
      static_cast<void>(first.run(main, {}, {loss}));
      static_cast<void>(second.run(main, {}, {loss}));
    });
  };
  const Profiled before = by_turns("sim:0", "cpu");
  const json round_trips = before.with("round_trip", "at one place, cpu or sim:0");
  EXPECT_EQ(sum_of(round_trips, "Saves copies a step"), static_cast<double>(before.copies));
  EXPECT_EQ(before.with("repeated_copy").size(), 0U) << before.advice;
  for (const char* place : {"cpu", "sim:0"}) {
    const Profiled after = by_turns(place, place);
    EXPECT_EQ(after.copies, 0U);
    EXPECT_EQ(after.with("round_trip").size(), 0U) << after.advice;
  }
}

// Returns the result of many operators that each do little.
Variable small_steps(const Variable& x) {
  Variable value = x;
  for (int i = 0; i < 12; ++i) value = tanh(value * 0.5) + 0.1;
  return value;
}

TEST_F(FollowedAdviceTest, KernelsThatTakeLessThanTheirLaunch) {
  const std::string model = program(small_steps);
  const Strings plain = {"--optimize", "none", "--capture", "off"};
  const Profiled before = run(model, plain);
  const json tiny = before.with("tiny_kernel");
  ASSERT_GE(tiny.size(), 1U) << before.advice;
  const double kernels = sum_of(tiny, "Kernels");
  for (const std::string way : {"--optimize default", "--capture auto"}) {
    EXPECT_THAT(tiny[0]["text"].get<std::string>(), HasSubstr("(" + way + ")"));
  }
  const Profiled fused = run(model, {"--optimize", "default", "--capture", "off"});
  EXPECT_LT(sum_of(fused.with("tiny_kernel"), "Kernels"), kernels / 4);
  const Profiled captured = run(model, {"--optimize", "none", "--capture", "auto"});
  EXPECT_LT(sum_of(captured.with("tiny_kernel"), "Kernels"), kernels / 4) << captured.advice;
  const Profiled larger = run(model, plain, {}, "random:2048x16");
  EXPECT_LT(sum_of(larger.with("tiny_kernel"), "Kernels"), kernels / 4) << larger.advice;
}

// Kernels of a graph follow each other without the host.
TEST_F(FollowedAdviceTest, ADeviceThatWaitsForTheHost) {
  const std::string model = program(small_steps);
  json waits = json::array();
  for (int i = 0; i < kTries && waits.empty(); ++i) {
    const Profiled before = run(model, {"--optimize", "none", "--capture", "off"});
    waits = before.with("host_bound", "(--capture auto)");
  }
  if (waits.empty()) GTEST_SKIP() << "other programs hold the host up more than launches do";
  // Other programs may hold the host up between graphs, at times.
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries && least >= fact(waits[0], "Gaps") / 2; ++i) {
    const Profiled after = run(model, {"--optimize", "none", "--capture", "auto"});
    least = std::min(least, sum_of(after.with("host_bound"), "Gaps"));
  }
  EXPECT_LT(least, fact(waits[0], "Gaps") / 2);
}

// Values are fed from the host and fetched in each step, or stay on the device.
TEST_F(FollowedAdviceTest, ADeviceThatWaitsForCopies) {
  const Program main;
  Variable sum;
  {
    const ProgramGuard building(main, Program());
    sum = tanh(data("x", {256, 256}, kFloat32)) + 1.0;
  }
  Executor executor(Place("sim:0"));
  const Tensor x = full({256, 256}, 0.01, kFloat32, "cpu");
  const Profiled before = run([&] { static_cast<void>(executor.run(main, {{"x", x}}, {sum})); });
  ASSERT_EQ(before.with("copy_bound", "Keep on the device").size(), 1U) << before.advice;

  const Tensor fed = x.to("sim:0");
  const auto function = compile(
      [](const std::vector<Tensor>& in) { return std::vector<Tensor>{tanh(in[0]) + 1.0}; }, {fed});
  Tensor last;
  const Profiled after = run([&] { last = function({fed})[0]; });
  EXPECT_EQ(after.with("copy_bound").size(), 0U) << after.advice;
  EXPECT_GT(last.to_vector<float>()[0], 0);
}

}  // namespace
}  // namespace loci::test
