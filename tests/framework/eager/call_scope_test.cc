#include "framework/eager/call_scope.h"

#include "framework/eager/call.h"

#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/recorded_paths.h"

namespace loci::eager {
namespace {

using profiler::Level;
using test::RecordedPaths;
using ::testing::ElementsAre;
using ::testing::Pair;

class CallScopeTest : public EagerTest {
 protected:
  template <class Calls>
  static RecordedPaths record(Level level, const Calls& calls) {
    (void)zeros({1});  // plugins are loaded, whichever test is the first
    synchronize();
    return test::record_paths(level, [&] {
      calls();
      synchronize();
    });
  }
  static Tensor there(const Tensor& tensor) { return tensor.to("sim:0"); }
};

TEST_F(CallScopeTest, ACallHasTheScopeOfItsOpAlone) {
  const Tensor x = vector({1, 2});
  const auto paths = record(Level::kOp, [&] { (void)relu(x); });
  EXPECT_THAT(paths.all(), ElementsAre(Pair("relu", 1)));
}

TEST_F(CallScopeTest, DetailTellsPhasesApart) {
  // No other test has these extents: the first call plans.
  const Tensor x = zeros({5, 7, 3});
  const auto first = record(Level::kDetail, [&] { (void)relu(x); });
  EXPECT_EQ(first.count("relu"), 1);
  EXPECT_EQ(first.count("relu/infer_shape"), 1);
  EXPECT_EQ(first.count("relu/compute"), 1);
  EXPECT_NE(first.label("relu").kernel, "") << "it is known once the call is planned";
  const auto second = record(Level::kDetail, [&] { (void)relu(x); });
  EXPECT_EQ(second.count("relu"), 1);
  EXPECT_EQ(second.count("relu/infer_shape"), 0) << "only where it ran";
  EXPECT_EQ(second.count("relu/compute"), 1);
}

// Calls count their work as programs do, so that its rates can be told.
TEST_F(CallScopeTest, ACallCountsItsWork) {
  const Tensor x = zeros({3, 5});
  const Tensor y = zeros({5, 2});
  const auto here = record(Level::kOp, [&] { (void)matmul(x, y); });
  EXPECT_EQ(here.label("matmul").flops, 2U * 3 * 5 * 2);
  EXPECT_EQ(here.label("matmul").bytes, 4U * (15 + 10 + 6));
  const auto beyond = record(Level::kOp, [&] { (void)matmul(there(x), there(y)); });
  EXPECT_EQ(beyond.label("matmul").flops, 2U * 3 * 5 * 2);
}

TEST_F(CallScopeTest, SoOnADevice) {
  const Tensor x = there(zeros({5, 7, 5}));
  const auto paths = record(Level::kDetail, [&] { (void)relu(x); });
  EXPECT_EQ(paths.count("relu"), 1);
  EXPECT_EQ(paths.count("relu/infer_shape"), 1);
  EXPECT_EQ(paths.count("relu/compute"), 1);
}

// On the thread that calls and on that which computes.
TEST_F(CallScopeTest, AnOpOnAnotherThreadIsCountedOnce) {
  const Tensor x = zeros({1 << 18});
  const auto paths = record(Level::kDetail, [&] { (void)tanh(x); });
  EXPECT_EQ(paths.count("tanh"), 1);
  EXPECT_EQ(paths.count("tanh/compute"), 1);
  EXPECT_EQ(paths.count("tanh/infer_shape"), 1);
  EXPECT_EQ(paths.count("infer_shape"), 0);
}

TEST_F(CallScopeTest, WhatAnOpNeedsFromElsewhereIsPrepared) {
  const Tensor x = there(vector({1, 2}));
  const auto paths = record(Level::kDetail, [&] {
    const DeviceGuard guard("cpu");
    (void)(x + x);
  });
  EXPECT_EQ(paths.count("elementwise_add"), 1);
  EXPECT_EQ(paths.count("elementwise_add/compute"), 1);
  EXPECT_EQ(paths.count("elementwise_add/prepare_data/copy:prepare_data"), 1)
      << "on the thread that copies";
  // The wait for the copy, where that has not ended when the calling thread launches the operator.
  EXPECT_LE(paths.count("elementwise_add/prepare_data"), 2);
  EXPECT_GE(paths.parts("elementwise_add"), 1);
}

TEST_F(CallScopeTest, AHostReadIsItsReaders) {
  const Tensor predicate = there(Tensor::from<bool>({true}, {1}));
  const auto branch = [] { return vector({1}); };
  const auto detail = record(Level::kDetail, [&] { cond(predicate, branch, branch); });
  EXPECT_EQ(detail.count("case/compute/copy:host_read"), 1);
  const auto op = record(Level::kOp, [&] { cond(predicate, branch, branch); });
  EXPECT_EQ(op.count("case/copy:host_read"), 1);
}

// A plan ends early where there is no memory to keep it: found by the sweep of failing allocations.
TEST_F(CallScopeTest, APlanMayEndBeforeItsScope) {
  OpCall<Tensor> call("relu");
  call.input("x", zeros({5, 7, 11}));
  const auto paths = record(Level::kOp, [&] {
    CallScope scope("relu");
    std::shared_ptr<const CallPlan> plan = plan_of(call).plan;
    const std::weak_ptr<const CallPlan> watched = plan;
    scope.set_plan(*plan);
    plan.reset();
    EXPECT_TRUE(watched.expired());
  });
  EXPECT_EQ(paths.parts("relu"), 1);
}

TEST_F(CallScopeTest, NothingIsInnermostOutsideOfACall) {
  EXPECT_EQ(CallScope::innermost(), nullptr);
  {
    const CallScope scope("relu");
    EXPECT_EQ(CallScope::innermost(), nullptr) << "not recorded";
  }
  const auto paths = record(Level::kOp, [] {
    CallScope part("relu");
    EXPECT_EQ(CallScope::innermost(), &part);
    CallScope call("tanh");
    call.keep();
  });
  EXPECT_THAT(paths.all(), ElementsAre(Pair("relu/tanh", 1)));
  EXPECT_EQ(paths.parts("relu"), 1);
}

}  // namespace
}  // namespace loci::eager
