#include "framework/planning/stage_types.h"

#include "framework/execution/continuation.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::AwaitedValue;
using execution::Plan;

class StageTypesTest : public executor::ProgramsTest {};

TEST_F(StageTypesTest, AProgramBeginsWithItsFeeds) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  Plan plan;
  plan.program = main_.impl();
  plan.feeds = {feed_of("x", {3})};
  TypeBinder binder(plan.program->main(), *scope_.impl());
  begin_types({}, plan, &binder);
  EXPECT_EQ(binder.type(plan.program->main().find("x")), (ops::TensorType{kFloat32, {3}}));
  EXPECT_EQ(binder.type(plan.program->main().find(y.name())).dtype, DType::kNone);
  EXPECT_EQ(operators_of_stage({}, plan).size(), 1U);
}

TEST_F(StageTypesTest, ABlockBeginsWithItsArguments) {
  auto program = std::make_shared<program::ProgramImpl>();
  program::VarDesc desc;
  desc.name = "given";
  program->main().arguments = {program->main().add_var(desc)};
  const BlockRequest block{&program->main(), {{{kFloat32, {5}}, {}, nullptr}}, {}};
  PlanRequest request;
  request.block = &block;
  Plan plan;
  plan.program = program;
  TypeBinder binder(program->main(), *scope_.impl());
  begin_types(request, plan, &binder);
  EXPECT_EQ(binder.type(0), (ops::TensorType{kFloat32, {5}}));
}

TEST_F(StageTypesTest, TheRestKnowsWhatHasCome) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable found = nonzero(x);
  const Variable sum = reduce_sum(found);
  const auto plan = compile({feed_of("x", {3})}, {sum.name()});
  ASSERT_NE(plan->rest, nullptr);
  EarlierStage earlier{plan.get(), {}};
  for (const AwaitedValue& awaited : plan->rest->end().awaited) {
    earlier.values.emplace_back(awaited.var, Tensor::from<std::int64_t>({2}, {1}));
  }
  PlanRequest request;
  request.earlier = &earlier;
  Plan rest;
  rest.program = plan->program;
  TypeBinder binder(rest.program->main(), *scope_.impl());
  begin_types(request, rest, &binder);
  EXPECT_EQ(binder.type(rest.program->main().find(found.name())),
            (ops::TensorType{kInt64, {2, 1}}));
  ASSERT_EQ(operators_of_stage(request, rest).size(), 1U);
  EXPECT_EQ(operators_of_stage(request, rest)[0]->type(), "reduce_sum");
}

}  // namespace
}  // namespace loci::planning
