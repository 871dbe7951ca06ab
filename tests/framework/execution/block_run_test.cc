#include "framework/execution/block_run.h"

#include "framework/program/control_flow.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using planning::BlockRequest;
using planning::PlanRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BlockRunTest : public executor::ProgramsTest {
 protected:
  // The first block of a branch whose arguments are x and y.
  template <class F>
  std::shared_ptr<const Plan> plan_of(const F& branch, const ops::TensorType& result,
                                      const ops::TensorType& y = {kFloat32, {2}}) {
    const auto in_order = [&] {
      relu(x_);
      relu(y_);
      return branch();
    };
    cond(data("on", {1}, kBool), in_order, [&] { return elementwise_add(x_, y_); });
    const program::Operator& op = main_.impl()->main().ops.back();
    const BlockRequest block{op.blocks[0].get(),
                             {{{kFloat32, {2}}, std::nullopt, nullptr}, {y, std::nullopt, nullptr}},
                             {{"result", "", result, nullptr}}};
    PlanRequest request;
    request.device = &device_at("cpu");
    request.scope = scope_.impl().get();
    request.block = &block;
    return compile_plan(request, &kernels_);
  }
  Variable x_ = data("x", {2}, kFloat32);
  Variable y_ = data("y", {-1}, kFloat32);
};

TEST_F(BlockRunTest, RunsOnTheMemoryThatItIsGiven) {
  const auto plan = plan_of([&] { return elementwise_add(x_, y_); }, {kFloat32, {2}});
  BlockRun run(*plan, *scope_.impl());
  std::vector<float> x{1, 2};
  std::vector<float> y{10, 20};
  std::vector<float> out(2);
  run.run({x.data(), y.data()}, {{out.data()}});
  EXPECT_THAT(out, ElementsAre(11, 22));
  run.run({out.data(), x.data()}, {{y.data()}});
  EXPECT_THAT(y, ElementsAre(12, 24));
}

TEST_F(BlockRunTest, AnArgumentCanBeTheResult) {
  const auto plan = plan_of([&] { return x_; }, {kFloat32, {2}});
  BlockRun run(*plan, *scope_.impl());
  std::vector<float> x{1, 2};
  std::vector<float> y{10, 20};
  std::vector<float> out(2);
  run.run({x.data(), y.data()}, {{out.data()}});
  EXPECT_THAT(out, ElementsAre(1, 2));
}

TEST_F(BlockRunTest, BlocksHaveStages) {
  const auto plan =
      plan_of([&] { return elementwise_add(x_, cast(reduce_sum(nonzero(y_)), kFloat32)); },
              {kFloat32, {2}}, {kFloat32, {3}});
  ASSERT_NE(plan->rest, nullptr);
  BlockRun run(*plan, *scope_.impl());
  std::vector<float> x{1, 2};
  std::vector<float> y{5, 0, 7};
  std::vector<float> out(2);
  for (int repeat = 0; repeat < 2; ++repeat) {
    run.run({x.data(), y.data()}, {{out.data()}});
    EXPECT_THAT(out, ElementsAre(3, 4));
  }
  y = {0, 0, 0};
  run.run({x.data(), y.data()}, {{out.data()}});
  EXPECT_THAT(out, ElementsAre(1, 2));
}

TEST_F(BlockRunTest, RefusesAResultOfAnotherType) {
  const auto plan = plan_of([&] { return relu(y_); }, {kFloat32, {2}}, {kFloat32, {3}});
  BlockRun run(*plan, *scope_.impl());
  std::vector<float> y{5, 0, 7};
  EXPECT_THAT(
      [&] {
        run.run({y.data(), y.data()}, {{y.data()}});
      },
      ThrowsMessage<Error>(HasSubstr("becomes float32[3], but it is float32[2] at first, and an "
                                     "extent that hangs on values may not change in a loop; give "
                                     "it a fixed one, by padding")));
}

}  // namespace
}  // namespace loci::execution
