#include "framework/execution/continuation.h"

#include <loci/inspect.hpp>

#include "framework/core/config.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;

// Programs whose extents depend on data, through nonzero.
class ContinuationTest : public executor::ProgramsTest {
 protected:
  std::vector<Tensor> run(Executor& executor, const Feed& feed, const std::vector<Fetch>& fetch) {
    return executor.run(main_, feed, fetch);
  }
  Executor executor_{"cpu", CompileOptions(), scope_};
};

std::vector<std::int64_t> longs(const Tensor& tensor) {
  const auto* data = tensor.data<std::int64_t>();
  return {data, data + tensor.numel()};
}

TEST_F(ContinuationTest, ABoundedValueIsFetchedWithItsTrueExtent) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable positions = nonzero(x);
  EXPECT_EQ(positions.shape(), (Shape{-1, 1}));
  const Tensor two = run(executor_, {{"x", vector({0, 3, 0, 5})}}, {positions}).front();
  EXPECT_EQ(two.shape(), (Shape{2, 1}));
  EXPECT_THAT(longs(two), ElementsAre(1, 3));
  const Tensor none = run(executor_, {{"x", vector({0, 0, 0, 0})}}, {positions}).front();
  EXPECT_EQ(none.shape(), (Shape{0, 1}));
}

TEST_F(ContinuationTest, OperatorsAfterwardsSeeTheTrueExtent) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable sum = reduce_sum(nonzero(x));
  const Variable independent = scale(x, 2.0);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto out = run(executor_, {{"x", vector({0, 3, 0, 5, 1})}}, {sum, independent});
    EXPECT_EQ(out[0].item<std::int64_t>(), 1 + 3 + 4);
    EXPECT_EQ(out[1].data<float>()[3], 10);
  }
}

TEST_F(ContinuationTest, StagesFollowEachOther) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable again = nonzero(nonzero(x));
  const Tensor out = run(executor_, {{"x", vector({4, 0, 0, 5})}}, {again}).front();
  EXPECT_EQ(out.shape(), (Shape{1, 2}));  // of [[0], [3]] only the 3
  EXPECT_THAT(longs(out), ElementsAre(1, 0));
}

TEST_F(ContinuationTest, OnlyWhatHangsOnTheValueWaits) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable sum = reduce_sum(nonzero(x));
  const Variable independent = softmax(scale(x, 2.0));
  const auto plan = compile({feed_of("x", {4})}, {sum.name(), independent.name()});
  ASSERT_TRUE(plan->rest);
  ASSERT_EQ(plan->rest->end().operators.size(), 1U);
  EXPECT_EQ(plan->rest->end().operators.front()->type(), "reduce_sum");
  EXPECT_EQ(plan->operators.size(), 3U);
}

TEST_F(ContinuationTest, StateKeepsItsOrder) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable w = create_parameter({1}, kFloat32, initializer::constant(10), "w");
  const Variable late = elementwise_add(cast(reduce_sum(nonzero(x), {0}), kFloat32), w);
  // Changes what `late` reads, so it has to wait as well.
  sgd(w, relu(w), scale(reduce_sum(x), 0.0, 0.5));
  executor_.run(startup_);
  const auto out = run(executor_, {{"x", vector({0, 0, 3})}}, {late, w});
  EXPECT_EQ(out[0].data<float>()[0], 12);
  EXPECT_EQ(out[1].data<float>()[0], 5);
}

TEST_F(ContinuationTest, RandomStateAdvancesOnceARun) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable count = reduce_sum(nonzero(x));
  const Variable random = uniform_random({2});
  const Tensor first = run(executor_, {{"x", vector({1, 1})}}, {random, count}).front();
  const Tensor second = run(executor_, {{"x", vector({1, 1})}}, {random, count}).front();
  EXPECT_NE(first.data<float>()[0], second.data<float>()[0]);
}

// The rest is a plan of its own for each number of elements that are not zero.
TEST_F(ContinuationTest, ThousandsOfValuesStayWithinTheBytes) {
  constexpr std::uint64_t kBytes = 1 << 20;
  core::set_config_value("PLAN_CACHE", std::to_string(kBytes));
  Executor executor("cpu", CompileOptions::none(), scope_);
  core::set_config_value("PLAN_CACHE", "");
  const Variable x = data("x", {-1}, kFloat32);
  const Variable sum = reduce_sum(nonzero(x));
  std::vector<float> values(2000);
  for (std::size_t count = 1; count <= values.size(); ++count) {
    values[count - 1] = 1;
    const auto fetched = run(executor, {{"x", vector(values)}}, {sum});
    ASSERT_EQ(fetched[0].item<std::int64_t>(), static_cast<std::int64_t>(count * (count - 1) / 2));
    const inspect::Caches caches = inspect::caches(executor);
    ASSERT_LE(caches.plan_bytes + caches.frame_bytes, kBytes + (kBytes / 4)) << count;
  }
}

TEST_F(ContinuationTest, AProgramWithoutSuchValuesIsOneStage) {
  const Variable y = relu(data("x", {-1}, kFloat32));
  EXPECT_FALSE(compile({feed_of("x", {4})}, {y.name()})->rest);
}

}  // namespace
}  // namespace loci::execution
