// Gradients of branches and loops against central differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<Variable>;

Variable operator+(const Variable& x, const Variable& y) { return elementwise_add(x, y); }
Variable operator*(const Variable& x, const Variable& y) { return elementwise_mul(x, y); }
Variable operator*(const Variable& x, double y) { return x * full_like(x, y); }

Variable next_of(const Variable& x) { return x + full_like(x, 1); }

class ControlFlowGradientTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Makes an input of float64, so that differences are exact enough.
  Variable input(const std::string& name, const std::vector<double>& value) {
    const auto extent = static_cast<std::int64_t>(value.size());
    const Variable x = data(name, {extent}, kFloat64);
    x.set_stop_gradient(false);
    values_.push_back({x, value});
    return x;
  }
  Variable number(const std::string& name, std::int64_t value) {
    const Variable x = data(name, {1}, kInt64);
    others_.emplace_back(name, Tensor::from<std::int64_t>({value}, {1}));
    return x;
  }
  void set(const std::string& name, std::int64_t value) {
    for (auto& [other, tensor] : others_) {
      if (other == name) tensor = Tensor::from<std::int64_t>({value}, {1});
    }
  }

  double value_of(const Variable& fetch, const CompileOptions& options) {
    return run(fetch, options).item<double>();
  }
  Tensor run(const Variable& fetch, const CompileOptions& options) {
    Feed feed = others_;
    for (const auto& [x, value] : values_) {
      feed.emplace_back(x.name(), Tensor::from(value, {static_cast<std::int64_t>(value.size())}));
    }
    Executor executor(GetParam(), options, scope_);
    return executor.run(main_, feed, {fetch}).front();
  }

  // The gradients of the loss by all inputs.
  void check(const Variable& loss, const std::vector<Variable>& grads,
             const CompileOptions& options = {}) {
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      ASSERT_TRUE(grads[i].defined());
      const std::vector<double> given = run(grads[i], options).to_vector<double>();
      ASSERT_EQ(given.size(), values_[i].value.size());
      for (std::size_t k = 0; k < given.size(); ++k) {
        double& element = values_[i].value[k];
        const double at = element;
        element = at + kStep;
        const double above = value_of(loss, options);
        element = at - kStep;
        const double below = value_of(loss, options);
        element = at;
        EXPECT_NEAR(given[k], (above - below) / (2 * kStep),
                    1e-6 * std::max(1.0, std::abs(given[k])))
            << values_[i].variable.name() << "[" << k << "]";
      }
    }
  }
  std::vector<Variable> gradients_of(const Variable& loss) {
    std::vector<Variable> targets;
    for (const auto& [x, value] : values_) targets.push_back(x);
    return gradients(loss, targets);
  }
  void check_all(const Variable& loss, const std::vector<Variable>& grads) {
    check(loss, grads, CompileOptions::none());
    check(loss, grads);
  }

  struct Input {
    Variable variable;
    std::vector<double> value;
  };
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
  std::vector<Input> values_;
  Feed others_;
};

TEST_P(ControlFlowGradientTest, OfBranches) {
  const Variable x = input("x", {0.5, -1.5});
  const Variable y = input("y", {2, 3});
  const Variable which = number("which", 0);
  const Variable scaled = x * 3.0;
  const Variable out = switch_case(
      which, {{0, [&] { return tanh(scaled) * y; }}, {1, [&] { return scaled * scaled * scaled; }}},
      [&] { return y; });
  const Variable loss = reduce_sum(out * out);
  const std::vector<Variable> grads = gradients_of(loss);
  main_.verify();
  for (const int value : {0, 1, 2}) {
    set("which", value);
    check_all(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfNestedBranchesWithSeveralResults) {
  const Variable x = input("x", {0.5, 1.5});
  const Variable y = input("y", {2, -3});
  const Variable which = number("which", 0);
  const auto is = [&](double value) { return equal(which, full_like(which, value)); };
  const std::vector<Variable> outs = cond(
      is(0),
      [&] {
        return Values{x * y, x};
      },
      [&] {
        const Variable inner = cond(
            is(1), [&] { return exp(x) * y; }, [&] { return x + y; });
        return Values{inner * inner, y * 2.0};
      });
  const Variable loss = reduce_sum(outs[0] * outs[1]);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int value : {0, 1, 2}) {
    set("which", value);
    check_all(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfBlocksAndSelections) {
  const Variable x = input("x", {0.5, 1.5});
  const Variable y = input("y", {2, -3});
  const Variable which = number("which", 0);
  const Variable on = equal(which, full_like(which, 1));
  const Variable yes = conditional_block(on, [&] { return Values{x * x * y}; }).front();
  const Variable no = conditional_block(logical_not(on), [&] { return Values{x * 5.0}; }).front();
  const Variable joined = select_input(cast(on, kInt32), {no, yes});
  const Variable picked = select_input(which, {x * y, y * y});
  const Variable loss = reduce_sum(joined * joined + picked);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int value : {0, 1}) {
    set("which", value);
    check_all(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfLoops) {
  const Variable x = input("x", {0.5, -0.25});
  const Variable w = input("w", {1.25, 0.75});
  const Variable n = number("n", 0);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{next_of(v[0]), tanh(v[1] * w) + v[2], v[1] * 0.5};
                                 },
                                 {fill_constant({1}, 0, kInt64), x, x * x});
  const Variable loss = reduce_sum(last[1] * last[1] + last[2]);
  const std::vector<Variable> grads = gradients_of(loss);
  main_.verify();
  for (const int count : {0, 1, 2, 7}) {
    set("n", count);
    check_all(loss, grads);
  }
}

// The values grow, and so do what gradients go through.
TEST_P(ControlFlowGradientTest, OfLoopsThatGrow) {
  const Variable x = input("x", {0.5, -0.25});
  const Variable w = input("w", {1.25, 0.75});
  const Variable n = number("n", 0);
  const Values last =
      while_loop([&](const Values& v) { return less_than(v[0], n); },
                 [&](const Values& v) {
                   const Variable end = slice(v[1], {0}, {-2}, {1000000});
                   return Values{next_of(v[0]), concat(Values{tanh(v[1]), end * w}), v[2] * w};
                 },
                 {fill_constant({1}, 0, kInt64), x, x});
  const Variable loss = reduce_sum(last[1] * last[1]) + reduce_sum(last[2]);
  const std::vector<Variable> grads = gradients_of(loss);
  main_.verify();
  for (const int count : {0, 1, 2, 5}) {
    set("n", count);
    check_all(loss, grads);
  }
}

// More iterations than a history keeps one by one.
TEST_P(ControlFlowGradientTest, OfLongLoops) {
  const Variable x = input("x", {0.5});
  const Variable w = input("w", {0.99});
  const Variable n = number("n", 0);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{next_of(v[0]), v[1] * w + tanh(v[1]) * 0.01};
                                 },
                                 {fill_constant({1}, 0, kInt64), x});
  const Variable loss = reduce_sum(last[1]);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int count : {64, 65, 66, 130, 301}) {
    set("n", count);
    check(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfBranchesInLoopsInBranches) {
  const Variable x = input("x", {0.5, -0.25});
  const Variable w = input("w", {1.25, 0.75});
  const Variable n = number("n", 3);
  const Variable zero = fill_constant({1}, 0, kInt64);
  const Variable out = cond(
      less_than(zero, n),
      [&] {
        return while_loop([&](const Values& v) { return less_than(v[0], n); },
                          [&](const Values& v) {
                            const Variable first = equal(v[0], zero);
                            const Variable next = cond(
                                first, [&] { return v[1] * w; }, [&] { return tanh(v[1]) + w; });
                            return Values{next_of(v[0]), next};
                          },
                          {zero, x})[1];
      },
      [&] { return w; });
  const Variable loss = reduce_sum(out * out);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int count : {0, 1, 3}) {
    set("n", count);
    check_all(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfLoopsInLoops) {
  const Variable x = input("x", {0.5});
  const Variable w = input("w", {0.75});
  const Variable n = number("n", 3);
  const Variable zero = fill_constant({1}, 0, kInt64);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   const Values inner = while_loop(
                                       [&](const Values& u) { return less_than(u[0], v[0]); },
                                       [&](const Values& u) {
                                         return Values{next_of(u[0]), tanh(u[1]) * w};
                                       },
                                       {zero, v[1]});
                                   return Values{next_of(v[0]), inner[1] + x};
                                 },
                                 {zero, x});
  const Variable loss = reduce_sum(last[1]);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int count : {0, 1, 2, 4}) {
    set("n", count);
    check(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, OfGradientsOfBranches) {
  const Variable x = input("x", {0.5, -0.25});
  const Variable which = number("which", 0);
  const Variable out = cond(
      equal(which, full_like(which, 0)), [&] { return x * x * x; }, [&] { return tanh(x); });
  const Variable slope = gradients(reduce_sum(out), {x}).front();
  const Variable loss = reduce_sum(slope * slope);
  const std::vector<Variable> grads = gradients_of(loss);
  for (const int value : {0, 1}) {
    set("which", value);
    check_all(loss, grads);
  }
}

TEST_P(ControlFlowGradientTest, TrainsThroughABranch) {
  const Variable x = data("x", {2, 1}, kFloat32);
  const Variable on = data("on", {1}, kBool);
  const Variable y = cond(
      on, [&] { return layers::fc(x, 1, "a"); }, [&] { return layers::fc(x, 1, "b"); });
  const Variable loss = mean(square_error_cost(y, full_like(y, 3)));
  optimizer::SGD(0.1).minimize(loss);
  Executor executor(GetParam(), {}, scope_);
  executor.run(startup_);
  const auto step = [&](bool value) {
    return executor
        .run(main_,
             {{"on", Tensor::from<bool>({value}, {1})}, {"x", Tensor::from<float>({1, 2}, {2, 1})}},
             {loss})
        .front()
        .item<float>();
  };
  const float first_a = step(true);
  const float first_b = step(false);
  for (int i = 0; i < 50; ++i) step(i % 2 == 0);
  EXPECT_LT(step(true), 0.2F * first_a);
  EXPECT_LT(step(false), 0.2F * first_b);
}

INSTANTIATE_TEST_SUITE_P(Places, ControlFlowGradientTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& place) { return std::string(place.param).substr(0, 3); });

}  // namespace
}  // namespace loci
