#include "framework/executor/executor_impl.h"

#include "tests/framework/executor/programs_fixture.h"
#include "tests/support/process_width.h"

namespace loci::executor {
namespace {

class ExecutorImplTest : public ProgramsTest {};

TEST_F(ExecutorImplTest, OnePlanPerFeedSignatureAndFetchList) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  ExecutorImpl executor("cpu", {}, scope_);
  const auto plan = executor.plan(main_, {{"x", vector({1, 2})}}, {y});
  EXPECT_EQ(executor.plan(main_, {{"x", vector({3, 4})}}, {y}), plan);
  EXPECT_NE(executor.plan(main_, {{"x", vector({3})}}, {y}), plan);
  EXPECT_NE(executor.plan(main_, {{"x", vector({3, 4})}}, {y, x}), plan);
  EXPECT_EQ(executor.plan(main_, {{"x", vector({5, 6})}}, {y}), plan);
}

TEST_F(ExecutorImplTest, PlansAreOfTheNumberOfThreads) {
  const Variable y = relu(data("x", {-1}, kFloat32));
  ExecutorImpl executor("cpu", {}, scope_);
  const test::ProcessWidth one(1);
  const auto plan = executor.plan(main_, {{"x", vector({1, 2})}}, {y});
  const test::ProcessWidth two(2);
  const auto other = executor.plan(main_, {{"x", vector({1, 2})}}, {y});
  EXPECT_NE(other, plan);
  EXPECT_EQ(executor.plan(main_, {{"x", vector({1, 2})}}, {y}), other);
}

TEST_F(ExecutorImplTest, AChangedProgramIsCompiledAgain) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  ExecutorImpl executor("cpu", {}, scope_);
  const auto plan = executor.plan(main_, {{"x", vector({1})}}, {y});
  relu(y);
  EXPECT_NE(executor.plan(main_, {{"x", vector({1})}}, {y}), plan);
}

TEST_F(ExecutorImplTest, RefusesToWorkInNoStream) {
  for (const int streams : {0, -3, 65}) {
    CompileOptions options;
    options.streams = streams;
    EXPECT_THAT([&] { ExecutorImpl("cpu", options, scope_); },
                ::testing::ThrowsMessage<Error>(
                    ::testing::HasSubstr("[executor] CompileOptions::streams is " +
                                         std::to_string(streams) + "; give 1 to 64")));
  }
}

TEST_F(ExecutorImplTest, AFailedRunLeavesTheExecutorUsable) {
  const Variable label = data("label", {1, 1}, kInt64);
  const Variable loss = cross_entropy(data("p", {1, 2}, kFloat32), label);
  Executor executor("cpu", {}, scope_);
  const Tensor p = Tensor::from<float>({0.5F, 0.5F}, {1, 2});
  const auto run = [&](std::int64_t id) {
    return executor.run(main_, {{"p", p}, {"label", Tensor::from<std::int64_t>({id}, {1, 1})}},
                        {loss});
  };
  EXPECT_THROW(run(9), Error);
  EXPECT_NEAR(run(1)[0].item<float>(), 0.6931F, 1e-4F);
}

}  // namespace
}  // namespace loci::executor
