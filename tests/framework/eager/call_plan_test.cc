#include "framework/eager/call_plan.h"

#include "framework/eager/call.h"
#include "framework/eager/gradient_script.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class CallPlanTest : public EagerTest {
 protected:
  static std::shared_ptr<const CallPlan> planned(OpCall<Tensor>& call) {
    return plan_of(call).plan;
  }
};

TEST_F(CallPlanTest, SmallWorkOfAnInlineDeviceMayRunAtOnce) {
  const Tensor small = zeros({8});
  const Tensor large = zeros({1 << 20});
  EXPECT_TRUE(planned(OpCall<Tensor>("relu").input("x", small))->is_small);
  EXPECT_FALSE(planned(OpCall<Tensor>("relu").input("x", large))->is_small);
  EXPECT_FALSE(planned(OpCall<Tensor>("relu").input("x", small.to("sim:0")))->is_small);
}

TEST_F(CallPlanTest, KnowsWhatHasToMove) {
  const DeviceGuard guard("sim:0");
  const Tensor here = zeros({2});
  Tensor there;
  {
    const DeviceGuard host("cpu");
    there = zeros({2});
  }
  EXPECT_FALSE(planned(OpCall<Tensor>("relu").input("x", here))->moves);
  EXPECT_TRUE(planned(OpCall<Tensor>("relu").input("x", there))->moves);
}

TEST_F(CallPlanTest, NeedsAreThoseOfEveryOutput) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const auto plan = planned(OpCall<Tensor>("layer_norm").input("x", x));
  const CallPlan::Needs& needs = plan->needs(1);
  EXPECT_EQ(&plan->needs(1), &needs) << "found once";
  EXPECT_EQ(needs.reads, plan->gradient(1, 1).reads());
  const auto sum = planned(OpCall<Tensor>("elementwise_mul").input("x", x).input("y", x));
  EXPECT_EQ(sum->needs(1).reads, (std::vector<std::int32_t>{1}));
}

TEST_F(CallPlanTest, AGradientIsWrittenOnceForEachUse) {
  const auto plan = planned(
      OpCall<Tensor>("elementwise_mul").input("x", vector({1, 2})).input("y", vector({3, 4})));
  const GradientScript& both = plan->gradient(3, 1);
  EXPECT_EQ(&both, &plan->gradient(3, 1));
  EXPECT_NE(&both, &plan->gradient(1, 1));
}

}  // namespace
}  // namespace loci::eager
