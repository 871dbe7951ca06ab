#include "framework/execution/capture_problems.h"

#include <gmock/gmock.h>

#include "framework/device/device_manager.h"
#include "framework/executor/executor_impl.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::HasSubstr;

class CaptureProblemsTest : public executor::ProgramsTest {
 protected:
  std::vector<CaptureProblem> problems_at_cpu(const Feed& feed, const std::vector<Fetch>& fetch) {
    const Executor executor("cpu", CompileOptions::none(), scope_);
    plan_ = executor.impl()->plan(main_, feed, fetch);
    return capture_problems(*plan_, device::DeviceManager::instance().get(Place()));
  }
  std::shared_ptr<const Plan> plan_;
};

TEST_F(CaptureProblemsTest, NoneOfLaunchesAtThePlace) {
  const Variable x = data("x", {2}, kFloat32);
  EXPECT_TRUE(problems_at_cpu({{"x", Tensor::from<float>({1, 2}, {2})}}, {relu(x) + x}).empty());
}

TEST_F(CaptureProblemsTest, EachWithItsReasonAndRemedy) {
  const Variable x = data("x", {2}, kFloat32);
  Variable there;
  {
    const DeviceGuard guard("toy");
    there = relu(x);
  }
  const Variable limit = data("limit", {1}, kFloat32);
  using Values = std::vector<Variable>;
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], limit); },
                                 [](const Values& v) { return Values{v[0] + v[0]}; }, {limit});
  const std::vector<CaptureProblem> problems =
      problems_at_cpu({{"x", vector({1, 2})}, {"limit", vector({1})}}, {there, last[0]});
  std::string text;
  for (const CaptureProblem& problem : problems) {
    text += problem.reason + "; " + problem.remedy + "\n";
  }
  EXPECT_THAT(text, HasSubstr("it runs at toy:0 (user_guard), and the graph is of cpu; give it"));
  EXPECT_THAT(text, HasSubstr("its condition is read on the host; capture the steps without it"));
  for (const CaptureProblem& problem : problems) {
    EXPECT_LT(problem.instruction, plan_->instructions.size());
  }
}

TEST_F(CaptureProblemsTest, ADecisionOfTheHostIsNoMatterOfExtents) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable chosen = cond(
      less_than(reduce_sum(x), reduce_max(x)), [&] { return x + 1.0; }, [&] { return x * 2.0; });
  (void)problems_at_cpu({{"x", Tensor::from<float>({1, 2}, {2})}}, {relu(chosen)});
  const std::vector<RestProblem> rest = rest_problems(*plan_);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].op, "[case] case_0");
  EXPECT_EQ(rest[0].reason, "what it decides by is read on the host");
  EXPECT_EQ(rest[0].remedy, "capture the steps without it, or run it between two graphs");
}

TEST_F(CaptureProblemsTest, ExtentsThatHangOnValuesAreOne) {
  const Variable x = data("x", {3}, kFloat32);
  (void)problems_at_cpu({{"x", Tensor::from<float>({1, 0, 2}, {3})}}, {nonzero(x) + nonzero(x)});
  const std::vector<RestProblem> rest = rest_problems(*plan_);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].op, "[capture] the program");
  EXPECT_THAT(rest[0].reason, HasSubstr("extents that hang on values"));
}

TEST_F(CaptureProblemsTest, APlanWithoutARestHasNone) {
  const Variable x = data("x", {2}, kFloat32);
  (void)problems_at_cpu({{"x", Tensor::from<float>({1, 2}, {2})}}, {relu(x)});
  EXPECT_TRUE(rest_problems(*plan_).empty());
}

}  // namespace
}  // namespace loci::execution
