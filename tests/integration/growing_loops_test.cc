// Loops whose values change shape, on the CPU and on a device with memory of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <loci/loci.hpp>
#include <loci/trace.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// x, then x with twice its last row behind it, and so on, n times: [x, 2 x_last, 4 x_last, ...].
template <class V>
std::vector<V> grown(const V& x, const V& n, const WhileOptions& options = {}) {
  const V zero = full_like(n, 0.0);
  return while_loop([&](const std::vector<V>& v) { return less_than(v[0], n); },
                    [](const std::vector<V>& v) {
                      const V end = slice(v[1], {0}, {-1}, {1000000});
                      return std::vector<V>{
                          elementwise_add(v[0], full_like(v[0], 1.0)),
                          concat(std::vector<V>{v[1], elementwise_add(end, end)})};
                    },
                    {zero, x}, options);
}

class GrowingLoopsTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor number(std::int64_t value) { return Tensor::from<std::int64_t>({value}, {1}); }
  static Tensor floats(const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
  }
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

TEST_P(GrowingLoopsTest, GiveWhatTheyHaveGrownTo) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const Variable last = grown(x, n)[1];
  const Variable sum = reduce_sum(last);
  EXPECT_EQ(last.shape(), (Shape{-1}));
  for (const CompileOptions& options :
       {CompileOptions::none(), CompileOptions::exact(), CompileOptions()}) {
    Executor executor(GetParam(), options, scope_);
    for (const std::int64_t count : {3, 0, 1, 5, 3}) {
      const auto result =
          executor.run(main_, {{"n", number(count)}, {"x", floats({5, 1})}}, {last, sum});
      std::vector<float> expected{5, 1};
      float total = 6;
      for (std::int64_t i = 0; i < count; ++i) {
        expected.push_back(2 * expected.back());
        total += expected.back();
      }
      EXPECT_EQ(result[0].to_vector<float>(), expected);
      EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(total));
    }
  }
}

// A value that comes to keep its shape ends as any loop does.
// 2 + 3 + 4 + 5, where the first shape alone would give 4 * 2.
TEST_P(GrowingLoopsTest, SeeTheirShapesGrow) {
  using Values = std::vector<Variable>;
  const Variable n = data("n", {1}, kInt32);
  const Variable x = data("x", {2}, kFloat32);
  const Values out = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                [](const Values& v) {
                                  return Values{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                elementwise_add(v[1], loci::shape(v[2])),
                                                concat(Values{v[2], fill_constant({1}, 1.0)})};
                                },
                                {full_like(n, 0.0), full_like(n, 0.0), x});
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    Executor executor(GetParam(), options, scope_);
    const auto result = executor.run(
        main_, {{"n", Tensor::from<std::int32_t>({4}, {1})}, {"x", floats({1, 1})}}, {out[1]});
    EXPECT_EQ(result[0].to_vector<std::int32_t>(), (std::vector<std::int32_t>{14}));
  }
}

TEST_P(GrowingLoopsTest, MayComeToAnEndOfGrowth) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {1}, kFloat32);
  const Variable step = data("step", {3}, kFloat32);
  const std::vector<Variable> ends =
      while_loop([&](const std::vector<Variable>& v) { return less_than(v[0], n); },
                 [&](const std::vector<Variable>& v) {
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                elementwise_add(v[1], step)};
                 },
                 {full_like(n, 0.0), x});
  Executor executor(GetParam(), {}, scope_);
  const Feed feed{{"n", number(400)}, {"x", floats({1})}, {"step", floats({0, 1, 2})}};
  EXPECT_THAT(executor.run(main_, feed, {ends[1]})[0].to_vector<float>(), ElementsAre(1, 401, 801));
}

TEST_P(GrowingLoopsTest, SayWhereTheyMakeTooManyIterations) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const Variable limited = grown(x, n, {2})[1];
  Executor executor(GetParam(), {}, scope_);
  const auto run = [&](std::int64_t count) {
    return executor.run(main_, {{"n", number(count)}, {"x", floats({5, 1})}}, {limited})[0];
  };
  EXPECT_THAT(run(2).to_vector<float>(), ElementsAre(5, 1, 2, 4));
  EXPECT_THAT([&] { run(3); },
              ThrowsMessage<Error>(HasSubstr("has made 2 iterations, as many as max_iterations")));
  EXPECT_THAT(run(1).to_vector<float>(), ElementsAre(5, 1, 2));
}

TEST_P(GrowingLoopsTest, SayThatTheyGrowTooOften) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const Variable last = grown(x, n)[1];
  Executor executor(GetParam(), {}, scope_);
  const auto run = [&](std::int64_t count) {
    return executor.run(main_, {{"n", number(count)}, {"x", floats({5, 0})}}, {last})[0];
  };
  EXPECT_EQ(run(1000).shape(), (Shape{1002}));
  EXPECT_THAT([&] { run(3000); },
              ThrowsMessage<Error>(
                  HasSubstr("[while] while_0 has changed the shape of its values in 2048 iter")));
}

// Results of a device stay there: as in any loop, only the condition is read by the host.
TEST_P(GrowingLoopsTest, CopyNothingButTheCondition) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const std::vector<Variable> last = grown(x, n);
  Executor executor(GetParam(), {}, scope_);
  const Feed feed{{"n", number(3).to(GetParam())}, {"x", floats({5, 1}).to(GetParam())}};
  executor.run(main_, feed, {last[1]});
  const std::size_t before = inspect::transfers().size();
  executor.run(main_, feed, {last[1]});
  const std::vector<inspect::Transfer> rows = inspect::transfers();
  std::vector<std::string> reasons;
  for (std::size_t i = before; i < rows.size(); ++i) reasons.push_back(rows[i].reason);
  const bool is_host = Place(GetParam()).is_host();
  // Four conditions, and what is fetched.
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "host_read"), is_host ? 0 : 4);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "fetch"),
            static_cast<std::ptrdiff_t>(reasons.size()) - (is_host ? 0 : 4));
}

TEST_P(GrowingLoopsTest, InALoopThatDoesNotGrow) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const std::vector<Variable> ends =
      while_loop([&](const std::vector<Variable>& v) { return less_than(v[0], n); },
                 [&](const std::vector<Variable>& v) {
                   const Variable sum = reduce_sum(grown(x, v[0])[1], {0}, /*keep_dim=*/true);
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                elementwise_add(v[1], sum)};
                 },
                 {full_like(n, 0.0), fill_constant({1}, 0)});
  Executor executor(GetParam(), {}, scope_);
  // Sums of [5, 1], [5, 1, 2] and [5, 1, 2, 4].
  EXPECT_THAT(executor.run(main_, {{"n", number(3)}, {"x", floats({5, 1})}}, {ends[1]})[0]
                  .to_vector<float>(),
              ElementsAre(6 + 8 + 12));
}

TEST_P(GrowingLoopsTest, AreSavedWithTheirBlocks) {
  const test::ScratchDirectory scratch;
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const std::string name = grown(x, n)[1].name();
  const std::string text = inspect::to_json(main_);
  io::save_program(scratch.path("model"), main_, startup_);
  const Program loaded = io::load_model(scratch.path("model")).main;
  EXPECT_EQ(inspect::to_json(loaded), text);
  Executor executor(GetParam(), {}, scope_);
  EXPECT_THAT(
      executor.run(loaded, {{"n", number(2)}, {"x", floats({5, 1})}}, {name})[0].to_vector<float>(),
      ElementsAre(5, 1, 2, 4));
}

// With an operator behind them that has a decomposition, and needs the shape they come to.
TEST_P(GrowingLoopsTest, AreComparedWithWhatTheyGrowTo) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  x.set_stop_gradient(false);
  const Variable target = data("target", {5}, kFloat32);
  const Variable loss = reduce_sum(square_error_cost(grown(x, n)[1], target));
  const Variable grad = gradients(loss, {x})[0];
  const Feed feed{{"n", number(3)}, {"x", floats({5, 1})}, {"target", floats({4, 1, 2, 4, 7})}};
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    Executor executor(GetParam(), options, scope_);
    const auto result = executor.run(main_, feed, {loss, grad});
    EXPECT_EQ(result[0].item<float>(), 2);
    EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(2, 16));
  }
}

// An extent that hangs on values is not known before they are computed.
TEST_P(GrowingLoopsTest, AnExtentThatHangsOnValuesIsRefused) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {3}, kFloat32);
  const Variable last =
      while_loop([&](const std::vector<Variable>& v) { return less_than(v[0], n); },
                 [](const std::vector<Variable>& v) {
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                cast(reshape(nonzero(v[1]), {-1}), kFloat32)};
                 },
                 {full_like(n, 0.0), x})[1];
  Executor executor(GetParam(), {}, scope_);
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"n", number(1)}, {"x", floats({5, 0, 7})}}, {last});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("becomes float32[2], but it is float32[3] at first"),
                                 HasSubstr("by padding with a count beside it"))));
  EXPECT_THAT(executor.run(main_, {{"n", number(1)}, {"x", floats({5, 6, 7})}}, {last})[0]
                  .to_vector<float>(),
              ElementsAre(0, 1, 2));
}

// The code runs step by step, with its gradient, and as a program.
TEST_P(GrowingLoopsTest, AreTheSameImperativeAndTraced) {
  const auto loss_of = [](const Tensor& x, const Tensor& n) {
    const Tensor last = grown(x, n)[1];
    return reduce_sum(last * last);
  };
  const Tensor n = number(4).to(GetParam());
  Tensor x = floats({0.3F, 0.7F}).to(GetParam());
  x.set_requires_grad();
  const Tensor loss = loss_of(x, n);
  loss.backward();
  const std::vector<float> grad = x.grad().to_vector<float>();
  // d of x1^2 (1 + 4 + 16 + 64 + 256)
  EXPECT_THAT(grad, ElementsAre(::testing::FloatEq(0.6F), ::testing::FloatEq(2 * 0.7F * 341)));
  const Tensor plain = floats({0.3F, 0.7F}).to(GetParam());
  const auto step = compile(
      [&](const std::vector<Tensor>& in) {
        Tensor leaf = in[0].detach();
        leaf.set_requires_grad();
        const Tensor result = loss_of(leaf, in[1]);
        result.backward();
        return std::vector<Tensor>{result, leaf.grad()};
      },
      {plain, n}, TraceOptions(), CompileOptions::exact());
  const std::vector<Tensor> traced = step({plain, n});
  EXPECT_EQ(traced[0].to_vector<float>(), loss.to_vector<float>());
  EXPECT_EQ(traced[1].to_vector<float>(), grad);
}

INSTANTIATE_TEST_SUITE_P(Places, GrowingLoopsTest, ::testing::Values("cpu", "sim:0"));

}  // namespace
}  // namespace loci
