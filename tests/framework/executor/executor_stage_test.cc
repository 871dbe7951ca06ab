#include "framework/executor/executor_stage.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {
namespace {

using execution::StageScopes;
using ::testing::ElementsAre;

class ExecutorStageTest : public ProgramsTest {};

TEST_F(ExecutorStageTest, BindsFeedsAndMakesFetches) {
  const Variable x = data("x", {2}, kFloat32);
  const auto plan = compile({feed_of("x", {2})}, {relu(x).name(), x.name()});
  const Feed feed{{"x", vector({-1, 3})}};
  std::vector<Tensor> fetched(2);
  ExecutorStage stage(*plan, fetched);
  ASSERT_TRUE(stage.run().bind_scope(*scope_.impl()));
  stage.run().begin();
  stage.bind_feeds(feed);
  stage.bind_fetches();
  StageScopes scopes;
  stage.run().enqueue(scopes);
  stage.copy_fetches();
  stage.run().wait();
  EXPECT_THAT(fetched[0].to_vector<float>(), ElementsAre(0, 3));
  EXPECT_THAT(fetched[1].to_vector<float>(), ElementsAre(-1, 3));
}

TEST_F(ExecutorStageTest, WhatIsFedToStateIsCopiedThere) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(0), "w");
  const Variable y = scale(w, 2.0);
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  const Tensor fed = vector({1, 2});
  EXPECT_THAT(executor.run(main_, {{"w", fed}}, {y})[0].to_vector<float>(), ElementsAre(2, 4));
  EXPECT_THAT(scope_.find("w").to_vector<float>(), ElementsAre(1, 2));
  EXPECT_NE(scope_.find("w").raw_data(), fed.raw_data());
}

// The feeds are read as if they had been copied first.
TEST_F(ExecutorStageTest, FeedsThatShareMemoryWithStateAreReadAsTheyWere) {
  const Variable w = create_parameter({4}, kFloat32, initializer::constant(0), "w");
  const Variable g = data("g", {3}, kFloat32);
  const Variable rows = data("rows", {3}, kInt64);
  sgd(w, g, data("rate", {1}, kFloat32), rows);
  const Variable fed = g * 1.0;
  scope_.set("w", vector({0, 0, 0, 0}));
  const Tensor memory = scope_.find("w");
  Executor executor("cpu", {}, scope_);
  const Tensor reversed = Tensor::from<std::int64_t>({3, 2, 1}, {3});
  for (int run = 0; run < 2; ++run) {
    memory.copy_(vector({1, 2, 4, 8}));
    const auto fetched = executor.run(
        main_, {{"g", memory.rows(1, 4)}, {"rows", reversed}, {"rate", vector({1})}}, {fed});
    EXPECT_EQ(memory.to_vector<float>(), (std::vector<float>{1, 2 - 8, 4 - 4, 8 - 2}));
    EXPECT_EQ(fetched[0].to_vector<float>(), (std::vector<float>{2, 4, 8}));
  }
}

}  // namespace
}  // namespace loci::executor
