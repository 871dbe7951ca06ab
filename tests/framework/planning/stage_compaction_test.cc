#include "framework/planning/stage_compaction.h"

#include "framework/execution/continuation.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::AwaitedValue;
using execution::Plan;
using execution::StageEnd;
using ::testing::ElementsAre;
using Values = std::vector<Variable>;

class StageCompactionTest : public executor::ProgramsTest {
 protected:
  // The stage behind a plan whose predicate turns out like that.
  static EarlierStage after(const Plan& plan, bool value) {
    EarlierStage earlier;
    earlier.plan = &plan;
    for (const AwaitedValue& awaited : plan.rest->end().awaited) {
      earlier.values.emplace_back(awaited.var, Tensor::from<bool>({value}, {1}));
    }
    return earlier;
  }
};

TEST_F(StageCompactionTest, KeepsWhatTheRestNeeds) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  Variable before = x;
  for (int i = 0; i < 10; ++i) before = exp(before);
  const Variable y = cond(
      on, [&] { return relu(before); }, [&] { return tanh(before); });
  const auto plan = compile({feed_of("on", {1}, kBool), feed_of("x", {2})}, {y.name()});
  const CompactStage compact = compact_stage(after(*plan, true));
  const program::Block& block = compact.program->main();
  EXPECT_LT(block.vars.size(), 5U);
  EXPECT_TRUE(block.ops.empty());
  ASSERT_EQ(compact.operators.size(), 1U);
  const program::VarId now = block.find(before.name());
  ASSERT_NE(now, program::kNoVar);
  EXPECT_EQ(compact.operators[0].inputs[1], program::Slot{now});
  const StageEnd& end = compact.earlier.end();
  const auto at = [](program::VarId id) { return static_cast<std::size_t>(id); };
  EXPECT_EQ(end.types[at(now)], (ops::TensorType{kFloat32, Shape{2}}));
  EXPECT_EQ(end.vars[at(now)].home, plan->rest->end().vars[at(before.id())].home);
  ASSERT_EQ(compact.earlier.values.size(), 1U);
  EXPECT_EQ(block.var(compact.earlier.values[0].first).name, "on");
}

// However many iterations were made before.
TEST_F(StageCompactionTest, ProgramsOfGrowingLoopsStaySmall) {
  const Variable n = data("n", {1}, kInt64);
  const Variable last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                   [](const Values& v) {
                                     return Values{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                   concat(Values{v[1], fill_constant({1}, 1.0)})};
                                   },
                                   {full_like(n, 0.0), data("x", {2}, kFloat32)})[1];
  auto plan = compile({feed_of("n", {1}, kInt64), feed_of("x", {2})}, {last.name()});
  std::vector<std::size_t> sizes;
  std::vector<std::shared_ptr<const Plan>> all{plan};
  for (int i = 0; i < 20; ++i) {
    ASSERT_NE(plan->rest, nullptr);
    const EarlierStage earlier = after(*plan, true);
    PlanRequest request;
    request.device = &device_at("cpu");
    request.scope = scope_.impl().get();
    request.earlier = &earlier;
    request.changed = std::make_shared<std::set<std::string>>();
    plan = compile_plan(request, &kernels_);
    all.push_back(plan);
    sizes.push_back(plan->program->main().vars.size());
  }
  EXPECT_EQ(sizes.back(), sizes[5]);
}

}  // namespace
}  // namespace loci::planning
