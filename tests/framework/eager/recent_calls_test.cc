#include "framework/eager/recent_calls.h"

#include "framework/eager/call.h"
#include "framework/tensor/tensor_impl.h"
#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/process_width.h"

namespace loci::eager {
namespace {

class RecentCallsTest : public EagerTest {
 protected:
  static OpCall<Tensor> scaled(Tensor x, double factor) {
    OpCall<Tensor> call("scale");
    call.input("x", std::move(x)).attr("scale", factor);
    return call;
  }
};

TEST_F(RecentCallsTest, FindsTheSameCallAgain) {
  RecentCalls recent;
  OpCall<Tensor> call = scaled(vector({1, 2}), 2.0);
  EXPECT_EQ(recent.find(call, nullptr), nullptr);
  recent.insert(call, nullptr, plan_of(call).plan);
  EXPECT_NE(recent.find(scaled(vector({5, 6}), 2.0), nullptr), nullptr);
}

TEST_F(RecentCallsTest, ForgetsThoseOfDevicesThatWereReplaced) {
  RecentCalls recent;
  std::weak_ptr<const CallPlan> of_lost;
  {
    OpCall<Tensor> call = scaled(vector({1, 2}).to("sim:3"), 2.0);
    const std::shared_ptr<const CallPlan> plan = plan_of(call).plan;
    recent.insert(call, nullptr, plan);
    of_lost = plan;
  }
  OpCall<Tensor> call = scaled(vector({1, 2}), 2.0);
  recent.insert(call, nullptr, plan_of(call).plan);
  EXPECT_FALSE(of_lost.expired());
  lose_and_reopen("sim:3");
  OpCall<Tensor> other = scaled(vector({1, 2, 3}), 2.0);
  recent.insert(other, nullptr, plan_of(other).plan);
  EXPECT_TRUE(of_lost.expired());
  EXPECT_NE(recent.find(scaled(vector({5, 6}), 2.0), nullptr), nullptr);
}

TEST_F(RecentCallsTest, ForgetsThoseThatWerePlannedForOtherThreads) {
  RecentCalls recent;
  const test::ProcessWidth one(1);
  OpCall<Tensor> call = scaled(vector({1, 2}), 2.0);
  recent.insert(call, nullptr, plan_of(call).plan);
  const test::ProcessWidth two(2);
  EXPECT_EQ(recent.find(call, nullptr), nullptr);
  recent.insert(call, nullptr, plan_of(call).plan);
  EXPECT_NE(recent.find(call, nullptr), nullptr);
}

TEST_F(RecentCallsTest, TellsCallsApart) {
  RecentCalls recent;
  OpCall<Tensor> call = scaled(vector({1, 2}), 2.0);
  recent.insert(call, nullptr, plan_of(call).plan);
  EXPECT_EQ(recent.find(scaled(vector({1, 2}), 3.0), nullptr), nullptr);
  EXPECT_EQ(recent.find(scaled(vector({1, 2, 3}), 2.0), nullptr), nullptr);
  EXPECT_EQ(recent.find(scaled(cast(vector({1, 2}), kFloat64), 2.0), nullptr), nullptr);
  EXPECT_EQ(recent.find(scaled(vector({1, 2}).to("sim:0"), 2.0), nullptr), nullptr);
  device::Device* other = vector({1}).to("sim:1").impl()->storage()->device;
  EXPECT_EQ(recent.find(scaled(vector({1, 2}), 2.0), other), nullptr);
}

}  // namespace
}  // namespace loci::eager
