#include "framework/executor/executor_impl.h"

#include "tests/framework/executor/runtime_fixture.h"
#include "tests/support/process_width.h"

namespace loci::runtime {
namespace {

class ExecutorImplTest : public RuntimeTest {};

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

// What the passes made for a size before serves it, or does not. Kernels differ between sizes too.
TEST_F(ExecutorImplTest, NewSizesGiveTheBitsOfAFreshExecutor) {
  const Variable x = data("x", {-1, 3, -1, -1}, kFloat32);
  const Variable y = data("y", {-1, 8, -1, -1}, kFloat32);
  const Variable hidden = relu(layers::conv2d(x, 8, 3, {.paddings = {1, 1}}) + y);
  const Variable mean = reduce_mean(relu(layers::conv2d(hidden, 8, 3)), {2, 3});
  const Variable out = softmax(layers::fc(mean, 7));
  Executor("cpu", {}, scope_).run(startup_);
  ExecutorImpl executor("cpu", {}, scope_);
  seed(3);
  for (const std::int64_t rows : {4, 5, 1, 2, 0, 3}) {
    for (const std::int64_t height : {6, 30, 8, 7}) {
      for (const Shape& added : {Shape{rows, 8, height, 6}, Shape{1, 8, 1, 1}}) {
        const Feed feed = {{"x", randn({rows, 3, height, 6})}, {"y", randn(added)}};
        ExecutorImpl fresh("cpu", {}, scope_);
        EXPECT_EQ(executor.run(main_, feed, {out})[0].to_vector<float>(),
                  fresh.run(main_, feed, {out})[0].to_vector<float>())
            << rows << " " << height;
      }
    }
  }
}

}  // namespace
}  // namespace loci::runtime
