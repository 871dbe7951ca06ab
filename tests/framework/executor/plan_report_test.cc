#include <loci/inspect.hpp>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {
namespace {

class PlanReportTest : public ProgramsTest {};

TEST_F(PlanReportTest, TellsPlacesReasonsAndTransfers) {
  const Variable y = softmax(relu(data("x", {2, 2}, kFloat32)));
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Executor executor("toy:0", {}, scope_);
  const inspect::Plan plan = inspect::plan(executor, main_, {{"x", x}}, {y});
  ASSERT_EQ(plan.operators.size(), 2U);
  EXPECT_EQ(plan.operators[0].place, "toy:0");
  EXPECT_EQ(plan.operators[0].reason, "default");
  EXPECT_EQ(plan.operators[0].kernel, "org.loci.test.toy/toy");
  EXPECT_EQ(plan.operators[1].place, "cpu");
  EXPECT_EQ(plan.operators[1].reason, "no_kernel");
  ASSERT_EQ(plan.transfers.size(), 2U);
  EXPECT_EQ(plan.transfers[0].reason, "feed");
  EXPECT_EQ(plan.transfers[1].from, "toy:0");
  EXPECT_EQ(plan.transfers[1].to, "cpu");
  EXPECT_EQ(plan.transfers[1].consumer, "softmax_0");
  EXPECT_EQ(plan.transfers[1].bytes, 16U);
}

// A kernel may see only in its preparation that it cannot do it.
TEST_F(PlanReportTest, NamesTheKernelThatWasPrepared) {
  const Executor executor("toy:0", {}, scope_);
  const auto kernel_for = [&](std::int64_t elements) {
    const Variable y = scale(data("x" + std::to_string(elements), {elements}, kFloat32), 2.0);
    const Tensor x = zeros({elements});
    return inspect::plan(executor, main_, {{"x" + std::to_string(elements), x}}, {y})
        .operators[0]
        .kernel;
  };
  EXPECT_EQ(kernel_for(4), "org.loci.test.toy/pairs");
  EXPECT_EQ(kernel_for(5), "org.loci.test.toy/toy");
}

TEST_F(PlanReportTest, ListsWhatIsCompiledLaterAndWhatItWaitsFor) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable positions = nonzero(x);
  const Variable sum = reduce_sum(positions);
  const Variable twice = scale(sum, 2.0);
  const Executor executor("cpu", {}, scope_);
  const inspect::Plan plan =
      inspect::plan(executor, main_, {{"x", vector({0, 3, 0, 5})}}, {twice, relu(x)});
  ASSERT_EQ(plan.deferred.size(), 2U);
  EXPECT_EQ(plan.deferred[0].type, "reduce_sum");
  ASSERT_EQ(plan.deferred[0].waits_for.size(), 1U);
  // The second result of nonzero: how many there are.
  const program::Operator& op = main_.impl()->main().ops.front();
  EXPECT_EQ(plan.deferred[0].waits_for[0], main_.impl()->main().var(op.outputs[1][0]).name);
  EXPECT_EQ(plan.deferred[1].type, "scale");
  EXPECT_THAT(plan.deferred[1].waits_for, ::testing::ElementsAre(sum.name()));
  for (const inspect::PlannedOperator& now : plan.operators) {
    EXPECT_NE(now.name, plan.deferred[0].name);
    EXPECT_NE(now.name, plan.deferred[1].name);
  }
}

TEST_F(PlanReportTest, DefersWhatChangesStateThatAWaitingOperatorReads) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable w = create_parameter({1}, kFloat32, initializer::constant(10), "w");
  const Variable late = elementwise_add(cast(reduce_sum(nonzero(x), {0}), kFloat32), w);
  sgd(w, relu(w), scale(reduce_sum(x), 0.0, 0.5));
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  const inspect::Plan plan = inspect::plan(executor, main_, {{"x", vector({0, 3})}}, {late});
  ASSERT_FALSE(plan.deferred.empty());
  EXPECT_EQ(plan.deferred.back().type, "sgd");
  EXPECT_TRUE(plan.deferred.back().waits_for.empty());
}

TEST_F(PlanReportTest, DefersNothingWhereExtentsAreKnown) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const Executor executor("cpu", {}, scope_);
  EXPECT_TRUE(inspect::plan(executor, main_, {{"x", vector({1, 2})}}, {y}).deferred.empty());
}

TEST_F(PlanReportTest, ListsTheLedger) {
  const Variable y = relu(data("x", {2}, kFloat32));
  Executor("toy:0", {}, scope_).run(main_, {{"x", vector({1, 2})}}, {y});
  const auto rows = inspect::transfers();
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows[rows.size() - 2].reason, "feed");
  EXPECT_EQ(rows.back().reason, "fetch");
  EXPECT_EQ(rows.back().variable, y.name());
}

}  // namespace
}  // namespace loci::executor
