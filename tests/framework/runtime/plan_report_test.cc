#include <loci/inspect.hpp>

#include "tests/framework/runtime/runtime_fixture.h"

namespace loci::runtime {
namespace {

class PlanReportTest : public RuntimeTest {};

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
}  // namespace loci::runtime
