#include "framework/execution/variable_log.h"

#include <sstream>

#include "framework/core/log.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class VariableLogTest : public executor::ProgramsTest {
 protected:
  template <class Calls>
  static std::string logged(const char* levels, const Calls& calls) {
    core::set_log_levels(levels);
    ::testing::internal::CaptureStderr();
    calls();
    const std::string text = ::testing::internal::GetCapturedStderr();
    core::set_log_levels("memory=warn");
    return text;
  }
  // "create x", "release x", in the order of the lines.
  static std::vector<std::string> changes(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t variable = line.find(" variable ");
      if (variable == std::string::npos) continue;
      const std::size_t what = line.rfind(' ', variable - 1) + 1;
      const std::size_t name = variable + std::string(" variable ").size();
      found.push_back(line.substr(what, variable - what) + " " +
                      line.substr(name, line.find(' ', name) - name));
    }
    return found;
  }
};

TEST_F(VariableLogTest, VariablesComeAndGoWithEachRun) {
  const Variable y = tanh(scale(relu(data("x", {2}, kFloat32)), 2.0));
  Executor executor("cpu", CompileOptions::none(), scope_);
  const auto run = [&] { executor.run(main_, {{"x", vector({1, 2})}}, {y}); };
  for (int i = 0; i < 2; ++i) {
    const std::string text = logged("memory=debug", run);
    EXPECT_THAT(text, HasSubstr("create variable relu_0.out float32[2] at cpu"));
    EXPECT_THAT(text, Not(HasSubstr("arena"))) << "memory of many variables";
    EXPECT_THAT(changes(text), ElementsAre("create relu_0.out", "create scale_0.out",
                                           "release relu_0.out", "release scale_0.out"));
  }
  EXPECT_EQ(logged("memory=warn", run), "");
}

TEST_F(VariableLogTest, SomeoneWhoWantsTheArenasTracesThem) {
  const Variable y = tanh(relu(data("x", {2}, kFloat32)));
  const std::string text = logged("memory=trace", [&] {
    Executor executor("cpu", CompileOptions::none(), scope_);
    executor.run(main_, {{"x", vector({1, 2})}}, {y});
  });
  EXPECT_THAT(text, AllOf(HasSubstr("create '(plan arena)'"), HasSubstr("relu_0.out")));
}

TEST_F(VariableLogTest, WhatTheRestNeedsIsReleasedAtTheEnd) {
  const Variable extents = cast(relu(data("extents", {1}, kFloat32)), kInt32);
  const Variable y = crop_tensor(data("x", {3}, kFloat32), extents);
  Executor executor("cpu", CompileOptions::none(), scope_);
  const std::string text = logged("memory=debug", [&] {
    executor.run(main_, {{"extents", vector({2})}, {"x", vector({1, 2, 3})}}, {y});
  });
  const std::vector<std::string> found = changes(text);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back(), "release cast_0.out");
}

}  // namespace
}  // namespace loci::execution
