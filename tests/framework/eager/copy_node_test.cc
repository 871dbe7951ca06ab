#include "framework/eager/copy_node.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

class CopyNodeTest : public EagerTest {};

TEST_F(CopyNodeTest, TheGradientGoesBackToTheSource) {
  const Tensor x = variable({1, 2}, "sim:0");
  CopyNode node(x, zeros({2}), {});
  Gradients given;
  given.push_back({vector({3, 4}), {}});
  const Gradients result = node.backward(given, false);
  EXPECT_EQ(result[0].dense.place(), Place("sim:0"));
  EXPECT_THAT(floats(result[0].dense), ElementsAre(3, 4));
}

TEST_F(CopyNodeTest, RecordsOnlyWhatHasAGradient) {
  EXPECT_FALSE(record_copy(vector({1}), zeros({1}), {}));
  EXPECT_TRUE(record_copy(variable({1}), zeros({1}), {}));
}

TEST_F(CopyNodeTest, TheWayBackHasTheReasonOfTheWayThere) {
  const Tensor x = variable({1, 2}, "sim:0");
  x.set_name("weight");
  const auto gradient_row = [](const auto& brought) {
    const Tensor loss = mean(brought());
    synchronize();
    transfer::clear_rows();
    loss.backward();
    synchronize();
    const std::vector<transfer::Row> rows = transfer::rows();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? transfer::Row() : rows.front();
  };
  const transfer::Row implicit = gradient_row([&x] {
    const DeviceGuard guard("cpu");
    return relu(x);
  });
  EXPECT_EQ(implicit.labels.reason, transfer::Reason::kPrepareData);
  EXPECT_STREQ(implicit.labels.variable, "weight@GRAD");
  EXPECT_STREQ(implicit.labels.producer, "relu_grad");
  EXPECT_EQ(gradient_row([&x] { return relu(x.to("cpu")); }).labels.reason,
            transfer::Reason::kExplicit);
}

}  // namespace
}  // namespace loci::eager
