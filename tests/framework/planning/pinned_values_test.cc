#include "framework/planning/pinned_values.h"

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Plan;
using execution::PlanValue;
using execution::ValueId;

class PinnedValuesTest : public executor::SimProgramsTest {
 protected:
  static const PlanValue& source_of(const Plan& plan, const std::string& copy) {
    const ValueId from = plan.instructions[index_of(plan, copy)].transfer()->from;
    return plan.values[static_cast<std::size_t>(from)];
  }
  static const PlanValue& target_of(const Plan& plan, const std::string& copy) {
    const ValueId to = plan.instructions[index_of(plan, copy)].transfer()->to;
    return plan.values[static_cast<std::size_t>(to)];
  }

  // There, here and there again, beside a branch there; x comes from the host.
  std::shared_ptr<const Plan> compile_mixed(int streams) {
    const Variable x = data("x", {2}, kFloat32);
    const Variable there = relu_at("sim:0", x);    // relu_0
    const Variable here = relu_at("cpu", there);   // relu_1
    const Variable back = relu_at("sim:0", here);  // relu_2
    const Variable branch = relu_at("sim:0", x);   // relu_3
    const Variable sum = add_at("sim:0", back, branch);
    return compile({feed_of("x", {2})}, {sum.name()}, "sim:0", with_streams(streams));
  }
};

TEST_F(PinnedValuesTest, CopiesFromAndToThemAreNotWaitedForAtOnce) {
  const auto plan = compile_mixed(4);
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_EQ(target_of(*plan, "copy relu_0.out").pinned_for, &device_at("sim:0"));
  EXPECT_EQ(source_of(*plan, "copy relu_1.out").pinned_for, &device_at("sim:0"));
  EXPECT_EQ(source_of(*plan, "copy x").pinned_for, nullptr) << "it is the caller's memory";
  EXPECT_FALSE(plan->schedule->steps[index_of(*plan, "copy relu_1.out")].blocks);
}

TEST_F(PinnedValuesTest, OneStreamPinsNothing) {
  const auto plan = compile_mixed(1);
  for (const PlanValue& value : plan->values) EXPECT_EQ(value.pinned_for, nullptr);
}

TEST_F(PinnedValuesTest, CanBeTakenBack) {
  Plan plan;
  plan.values.resize(2);
  plan.values[0].pinned_for = &device_at("sim:0");
  unpin_values(&plan);
  EXPECT_EQ(plan.values[0].pinned_for, nullptr);
}

TEST_F(PinnedValuesTest, RunsGiveTheSame) {
  (void)compile_mixed(4);
  const std::string out = main_.impl()->main().ops.back().name + ".out";
  for (const int streams : {1, 4}) {
    Executor executor("sim:0", with_streams(streams), scope_);
    for (int i = 0; i < 5; ++i) {
      const auto fetched = executor.run(main_, {{"x", vector({2, -3})}}, {Fetch(out)});
      EXPECT_EQ(fetched.front().to_vector<float>(), (std::vector<float>{4, 0}));
    }
  }
}

}  // namespace
}  // namespace loci::planning
