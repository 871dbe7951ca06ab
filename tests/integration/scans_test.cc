// Scans, on the CPU and on a device with memory of its own: values, gradients, files, cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <loci/loci.hpp>
#include <loci/trace.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// h' = tanh(w h + x), of which each step gives h' and h h'.
template <class V>
ScanResult<V> recurrence(const V& h, const V& xs, const V& w, const ScanOptions& options = {}) {
  using List = std::vector<V>;
  return scan(
      [&](const List& carry, const List& x) {
        const V next = tanh(elementwise_add(elementwise_mul(w, carry[0]), x[0]));
        return ScanResult<V>{{next}, {next, elementwise_mul(carry[0], next)}};
      },
      List{h}, List{xs}, options);
}

// Computes the recurrence step by step, without a scan.
template <class V>
ScanResult<V> unrolled(const V& h, const V& xs, const V& w, std::int64_t steps, bool reverse) {
  V carry = h;
  std::vector<V> first(static_cast<std::size_t>(steps));
  std::vector<V> second(first.size());
  for (std::int64_t done = 0; done < steps; ++done) {
    const std::int64_t t = reverse ? steps - 1 - done : done;
    const V x = squeeze(slice(xs, {0}, {t}, {t + 1}), {0});
    const V next = tanh(elementwise_add(elementwise_mul(w, carry), x));
    first[static_cast<std::size_t>(t)] = next;
    second[static_cast<std::size_t>(t)] = elementwise_mul(carry, next);
    carry = next;
  }
  return {{carry}, {stack(first), stack(second)}};
}

template <class V>
V loss_of(const ScanResult<V>& result) {
  const V last = reduce_sum(elementwise_mul(result.carry[0], result.carry[0]));
  const V all = reduce_sum(elementwise_mul(result.ys[0], result.ys[1]));
  return elementwise_add(last, elementwise_add(all, reduce_sum(result.ys[1])));
}

using Values = std::vector<Variable>;

class ScansTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor floats(const std::vector<float>& values, const Shape& shape) {
    return Tensor::from(values, shape);
  }
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

TEST_P(ScansTest, CarryValuesAndStackWhatStepsGive) {
  const Variable h = data("h", {2}, kFloat32);
  const Variable xs = data("xs", {-1, 2}, kFloat32);
  const ScanResult<Variable> sums = scan(
      [](const Values& carry, const Values& x) {
        const Variable sum = elementwise_add(carry[0], x[0]);
        return ScanResult<Variable>{{sum}, {sum, reduce_sum(x[0])}};
      },
      {h}, {xs});
  EXPECT_EQ(sums.carry[0].shape(), (Shape{2}));
  EXPECT_EQ(sums.ys[0].shape(), (Shape{-1, 2}));
  main_.verify();
  const Feed feed{{"h", floats({10, 20}, {2})}, {"xs", floats({1, 2, 3, 4, 5, 6}, {3, 2})}};
  for (const CompileOptions& options :
       {CompileOptions::none(), CompileOptions::exact(), CompileOptions()}) {
    Executor executor(GetParam(), options, scope_);
    const auto result = executor.run(main_, feed, {sums.carry[0], sums.ys[0], sums.ys[1]});
    EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(19, 32));
    EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(11, 22, 14, 26, 19, 32));
    EXPECT_THAT(result[2].to_vector<float>(), ElementsAre(3, 7, 11));
  }
}

TEST_P(ScansTest, GoFromTheOtherEnd) {
  const Variable xs = data("xs", {3}, kFloat32);
  const ScanResult<Variable> sums = scan(
      [](const Values& carry, const Values& x) {
        const Variable sum = elementwise_add(carry[0], x[0]);
        return ScanResult<Variable>{{sum}, {sum}};
      },
      {reshape(fill_constant({1}, 0.0), {})}, {xs}, {-1, /*reverse=*/true});
  Executor executor(GetParam(), {}, scope_);
  const auto result =
      executor.run(main_, {{"xs", floats({1, 2, 3}, {3})}}, {sums.carry[0], sums.ys[0]});
  EXPECT_EQ(result[0].item<float>(), 6);
  EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(6, 5, 3));
}

TEST_P(ScansTest, MayHaveNoSteps) {
  const Variable h = data("h", {2}, kFloat32);
  const Variable xs = data("xs", {-1, 2}, kFloat32);
  const Variable w = data("w", {2}, kFloat32);
  for (const Variable& x : {h, xs, w}) x.set_stop_gradient(false);
  const ScanResult<Variable> made = recurrence(h, xs, w);
  const std::vector<Variable> grads = gradients(loss_of(made), {h, xs, w});
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    Executor executor(GetParam(), options, scope_);
    const auto result = executor.run(main_,
                                     {{"h", floats({3, 4}, {2})},
                                      {"xs", Tensor::empty({0, 2}, kFloat32)},
                                      {"w", floats({1, 1}, {2})}},
                                     {made.carry[0], made.ys[0], grads[0], grads[1], grads[2]});
    EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(3, 4));
    EXPECT_EQ(result[1].shape(), (Shape{0, 2}));
    EXPECT_THAT(result[2].to_vector<float>(), ElementsAre(6, 8));
    EXPECT_EQ(result[3].shape(), (Shape{0, 2}));
    EXPECT_THAT(result[4].to_vector<float>(), ElementsAre(0, 0));
  }
}

TEST_P(ScansTest, MakeAsManyStepsAsTheLengthSays) {
  const Variable x = data("x", {1}, kFloat32);
  const ScanResult<Variable> powers = scan(
      [](const Values& carry, const Values& /*xs*/) {
        return ScanResult<Variable>{{scale(carry[0], 2.0)}, {carry[0]}};
      },
      {x}, {}, {4});
  Executor executor(GetParam(), {}, scope_);
  const auto result =
      executor.run(main_, {{"x", floats({3}, {1})}}, {powers.carry[0], powers.ys[0]});
  EXPECT_EQ(result[0].item<float>(), 48);
  EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(3, 6, 12, 24));
}

// To the bit, in both directions; gradients but for the order of sums.
TEST_P(ScansTest, AreEqualToTheUnrolledProgram) {
  const Variable h = data("h", {3}, kFloat32);
  const Variable xs = data("xs", {5, 3}, kFloat32);
  const Variable w = data("w", {3}, kFloat32);
  for (const Variable& x : {h, xs, w}) x.set_stop_gradient(false);
  for (const bool reverse : {false, true}) {
    const ScanResult<Variable> by_scan = recurrence(h, xs, w, {-1, reverse});
    const ScanResult<Variable> by_hand = unrolled(h, xs, w, 5, reverse);
    std::vector<Fetch> fetches;
    for (const auto& result : {by_scan, by_hand}) {
      for (const Variable& made : {result.carry[0], result.ys[0], result.ys[1]}) {
        fetches.emplace_back(made);
      }
      for (const Variable& grad : gradients(loss_of(result), {h, xs})) fetches.emplace_back(grad);
    }
    const std::vector<Variable> sums = {gradients(loss_of(by_scan), {w})[0],
                                        gradients(loss_of(by_hand), {w})[0]};
    fetches.insert(fetches.end(), sums.begin(), sums.end());
    main_.verify();
    std::vector<float> x(15);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
    Executor executor(GetParam(), CompileOptions::exact(), scope_);
    const auto result = executor.run(main_,
                                     {{"h", floats({0.1F, -0.4F, 0.7F}, {3})},
                                      {"xs", floats(x, {5, 3})},
                                      {"w", floats({0.5F, 1.5F, -0.8F}, {3})}},
                                     fetches);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(result[i].to_vector<float>(), result[i + 5].to_vector<float>()) << i;
    }
    // Sums of the same terms, in one order or the other.
    for (const auto& [one, other] : {std::pair{3, 8}, std::pair{4, 9}, std::pair{10, 11}}) {
      const auto by_steps = result[static_cast<std::size_t>(one)].to_vector<float>();
      const auto at_once = result[static_cast<std::size_t>(other)].to_vector<float>();
      for (std::size_t k = 0; k < by_steps.size(); ++k) {
        EXPECT_NEAR(by_steps[k], at_once[k], 1e-5 * std::max(1.0F, std::abs(by_steps[k]))) << one;
      }
    }
  }
}

// Gradients, and gradients of those, against differences, in float64.
TEST_P(ScansTest, HaveGradientsOfAnyOrder) {
  const Variable h = data("h", {2}, kFloat64);
  const Variable xs = data("xs", {3, 2}, kFloat64);
  const Variable w = data("w", {2}, kFloat64);
  const std::vector<Variable> inputs{h, xs, w};
  for (const Variable& x : inputs) x.set_stop_gradient(false);
  const Variable loss = loss_of(recurrence(h, xs, w));
  const std::vector<Variable> first = gradients(loss, inputs);
  Variable sum = reduce_sum(elementwise_mul(first[0], first[0]));
  for (const Variable& grad : {first[1], first[2]}) {
    sum = elementwise_add(sum, reduce_sum(elementwise_mul(grad, grad)));
  }
  const std::vector<Variable> second = gradients(sum, inputs);
  main_.verify();
  std::vector<std::vector<double>> at{{0.3, -0.2}, {0.1, 0.5, -0.7, 0.2, 0.9, -0.4}, {0.8, -1.1}};
  Executor executor(GetParam(), {}, scope_);
  const auto run = [&](const std::vector<Fetch>& fetches) {
    return executor.run(main_,
                        {{"h", Tensor::from(at[0], {2})},
                         {"xs", Tensor::from(at[1], {3, 2})},
                         {"w", Tensor::from(at[2], {2})}},
                        fetches);
  };
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto given = run({first[i], second[i]});
    for (std::size_t k = 0; k < at[i].size(); ++k) {
      const double before = at[i][k];
      at[i][k] = before + kStep;
      const auto above = run({loss, sum});
      at[i][k] = before - kStep;
      const auto below = run({loss, sum});
      at[i][k] = before;
      for (std::size_t order = 0; order < 2; ++order) {
        const double difference =
            (above[order].item<double>() - below[order].item<double>()) / (2 * kStep);
        EXPECT_NEAR(given[order].to_vector<double>()[k], difference,
                    1e-6 * std::max(1.0, std::abs(difference)))
            << inputs[i].name() << "[" << k << "], order " << order + 1;
      }
    }
  }
}

// An operator of a scan may lie anywhere; its guard holds in it.
TEST_P(ScansTest, KeepTheGuardsOfTheirOperators) {
  const Variable h = data("h", {2}, kFloat32);
  const Variable xs = data("xs", {3, 2}, kFloat32);
  const ScanResult<Variable> made = scan(
      [](const Values& carry, const Values& x) {
        Variable sum;
        {
          const DeviceGuard guard("cpu");
          sum = elementwise_add(carry[0], x[0]);
        }
        return ScanResult<Variable>{{scale(sum, 0.5)}, {sum, scale(x[0], 3.0)}};
      },
      {h}, {xs});
  Executor executor(GetParam(), {}, scope_);
  const Feed feed{{"h", floats({8, 0}, {2})}, {"xs", floats({0, 2, 4, 2, 0, 2}, {3, 2})}};
  const auto result = executor.run(main_, feed, {made.carry[0], made.ys[0], made.ys[1]});
  EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(2, 1.75));
  EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(8, 2, 8, 3, 4, 3.5));
  EXPECT_THAT(result[2].to_vector<float>(), ElementsAre(0, 6, 12, 6, 0, 6));
}

// A loop begins with a copy of a parameter that lies elsewhere, and does not read it there.
TEST_P(ScansTest, BeginWithParametersThatLieElsewhere) {
  Variable start;
  Variable rows;
  {
    const DeviceGuard guard("cpu");
    start = create_parameter({2}, kFloat32, initializer::constant(1), "start");
    rows = create_parameter({3, 2}, kFloat32, initializer::constant(2), "rows");
  }
  const ScanResult<Variable> sums = scan(
      [](const Values& carry, const Values& x) {
        const Variable sum = elementwise_add(carry[0], x[0]);
        return ScanResult<Variable>{{sum}, {sum}};
      },
      {start}, {rows});
  const Variable n = data("n", {1}, kInt64);
  const Variable doubled =
      while_loop([&](const Values& v) { return less_than(v[0], n); },
                 [](const Values& v) {
                   return Values{elementwise_add(v[0], full_like(v[0], 1.0)), scale(v[1], 2.0)};
                 },
                 {full_like(n, 0.0), start})[1];
  Executor executor(GetParam(), {}, scope_);
  executor.run(startup_);
  const Feed feed{{"n", Tensor::from<std::int64_t>({3}, {1})}};
  const auto result = executor.run(main_, feed, {sums.ys[0], doubled});
  EXPECT_THAT(result[0].to_vector<float>(), ElementsAre(3, 3, 5, 5, 7, 7));
  EXPECT_THAT(result[1].to_vector<float>(), ElementsAre(8, 8));
}

TEST_P(ScansTest, InsideALoopAndWithABranch) {
  const Variable n = data("n", {1}, kInt64);
  const Variable xs = data("xs", {4}, kFloat32);
  const Variable zero = reshape(fill_constant({1}, 0.0), {});
  const auto running = [&](const Variable& x) {
    return scan(
               [](const Values& carry, const Values& slices) {
                 const Variable sum = cond(
                     greater_than(slices[0], full_like(slices[0], 0.0)),
                     [&] { return elementwise_add(carry[0], slices[0]); },
                     [&] { return carry[0]; });
                 return ScanResult<Variable>{{sum}, {sum}};
               },
               {zero}, {x})
        .ys[0];
  };
  const Variable last = while_loop(
      [&](const Values& v) { return less_than(v[0], n); },
      [&](const Values& v) {
        return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)), running(v[1])};
      },
      {full_like(n, 0.0), xs})[1];
  Executor executor(GetParam(), {}, scope_);
  const Feed feed{{"n", Tensor::from<std::int64_t>({2}, {1})}, {"xs", floats({1, -5, 2, 3}, {4})}};
  EXPECT_THAT(executor.run(main_, feed, {last})[0].to_vector<float>(), ElementsAre(1, 2, 5, 11));
}

TEST_P(ScansTest, ChangeStateInPlace) {
  const Variable count = create_persistable({1}, kInt64, initializer::constant(0), "count");
  const Variable xs = data("xs", {3}, kFloat32);
  const ScanResult<Variable> made = scan(
      [&](const Values& /*carry*/, const Values& x) {
        const Variable grown = cast(reshape(increment(count), {}), kFloat32);
        return ScanResult<Variable>{{}, {elementwise_mul(x[0], grown)}};
      },
      Values{}, {xs});
  Executor executor(GetParam(), {}, scope_);
  executor.run(startup_);
  const Feed feed{{"xs", floats({1, 1, 1}, {3})}};
  EXPECT_THAT(executor.run(main_, feed, {made.ys[0]})[0].to_vector<float>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(executor.run(main_, feed, {made.ys[0]})[0].to_vector<float>(), ElementsAre(4, 5, 6));
}

TEST_P(ScansTest, AreSavedWithTheirBlocks) {
  const Variable h = data("h", {2}, kFloat32);
  const Variable xs = data("xs", {-1, 2}, kFloat32);
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(0.5), "w");
  const ScanResult<Variable> made = recurrence(h, xs, w, {-1, /*reverse=*/true});
  Executor executor(GetParam(), {}, scope_);
  executor.run(startup_);
  const test::ScratchDirectory directory;
  io::save_program(directory.path("scan"), main_, startup_, &scope_);
  const io::Model loaded = io::load_model(directory.path("scan"));
  EXPECT_EQ(loaded.main.to_string(), main_.to_string());
  Scope other;
  for (const auto& [name, tensor] : loaded.weights) other.set(name, tensor);
  const Feed feed{{"h", floats({1, 2}, {2})}, {"xs", floats({1, 2, 3, 4}, {2, 2})}};
  const std::vector<Fetch> fetches{made.carry[0].name(), made.ys[1].name()};
  const auto before = executor.run(main_, feed, fetches);
  const auto after = Executor(GetParam(), {}, other).run(loaded.main, feed, fetches);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].to_vector<float>(), before[i].to_vector<float>());
  }
}

// The code runs step by step, with its gradients, and as a program.
TEST_P(ScansTest, AreTheSameImperativeAndTraced) {
  const Tensor xs = floats({0.1F, 0.5F, -0.7F, 0.2F, 0.9F, -0.4F}, {3, 2}).to(GetParam());
  const Tensor h = floats({0.3F, -0.2F}, {2}).to(GetParam());
  const Tensor w = floats({0.8F, -1.1F}, {2}).to(GetParam());
  const auto step = [](const std::vector<Tensor>& in) {
    std::vector<Tensor> leaves;
    for (const Tensor& x : in) leaves.push_back(x.detach().set_requires_grad());
    const ScanResult<Tensor> made = recurrence(leaves[0], leaves[1], leaves[2]);
    loss_of(made).backward();
    std::vector<Tensor> results{made.carry[0], made.ys[0], made.ys[1]};
    for (const Tensor& leaf : leaves) results.push_back(leaf.grad());
    return results;
  };
  const std::vector<Tensor> imperative = step({h, xs, w});
  const auto compiled = compile(step, {h, xs, w}, TraceOptions(), CompileOptions::exact());
  const std::vector<Tensor> traced = compiled({h, xs, w});
  ASSERT_EQ(traced.size(), imperative.size());
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const auto one = imperative[i].to_vector<float>();
    const auto other = traced[i].to_vector<float>();
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_FLOAT_EQ(one[k], other[k]) << i;
  }
}

TEST_P(ScansTest, TheExtentOfAnOutputMustBeKnown) {
  const Variable xs = data("xs", {3, 2}, kFloat32);
  const ScanResult<Variable> made = scan(
      [](const Values& /*carry*/, const Values& x) {
        return ScanResult<Variable>{{}, {nonzero(x[0])}};
      },
      Values{}, {xs});
  Executor executor(GetParam(), {}, scope_);
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"xs", floats({1, 0, 1, 1, 0, 0}, {3, 2})}}, {made.ys[0]});
      },
      ThrowsMessage<Error>(HasSubstr("hangs on values; give it a fixed one, by padding")));
}

// Neither xs nor ys are copied: what there is to copy does not hang on the number of steps.
TEST_P(ScansTest, CopyNoStackedValue) {
  const Variable h = data("h", {2}, kFloat32);
  const Variable xs = data("xs", {-1, 2}, kFloat32);
  const Variable w = data("w", {2}, kFloat32);
  const ScanResult<Variable> made = recurrence(h, xs, w);
  Executor executor(GetParam(), {}, scope_);
  const auto copies_of = [&](std::int64_t steps) {
    const Feed feed{{"h", floats({0, 0}, {2})},
                    {"xs", Tensor::from(std::vector<float>(2 * steps, 0.5F), {steps, 2})},
                    {"w", floats({1, 1}, {2})}};
    const std::size_t before = inspect::transfers().size();
    const Tensor last = executor.run(main_, feed, {made.ys[0]})[0];
    EXPECT_EQ(last.shape(), (Shape{steps, 2}));
    EXPECT_NEAR(last.to_vector<float>().back(), 0.88123, 1e-5);
    return inspect::transfers().size() - before;
  };
  EXPECT_EQ(copies_of(10000), copies_of(100));
}

INSTANTIATE_TEST_SUITE_P(Places, ScansTest, ::testing::Values("cpu", "sim:0"));

}  // namespace
}  // namespace loci
