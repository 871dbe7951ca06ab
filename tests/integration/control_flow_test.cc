// Branches and loops of programs, on the CPU and on a device with memory of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<Variable>;

Variable operator+(const Variable& x, const Variable& y) { return elementwise_add(x, y); }
Variable operator*(const Variable& x, const Variable& y) { return elementwise_mul(x, y); }
Variable operator+(const Variable& x, double y) { return x + full_like(x, y); }
Variable operator-(const Variable& x, double y) { return x + full_like(x, -y); }
Variable operator*(const Variable& x, double y) { return x * full_like(x, y); }

template <class Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class ControlFlowTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor vector(const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
  }
  static Tensor truth(bool value) { return Tensor::from<bool>({value}, {1}); }
  static Tensor number(std::int64_t value) { return Tensor::from<std::int64_t>({value}, {1}); }

  std::vector<Tensor> run(const Feed& feed, const std::vector<Fetch>& fetch,
                          const CompileOptions& options = {}) {
    Executor executor(GetParam(), options, scope_);
    return executor.run(main_, feed, fetch);
  }
  std::vector<float> floats(const Feed& feed, const Variable& fetch,
                            const CompileOptions& options = {}) {
    return run(feed, {fetch}, options).front().to_vector<float>();
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

const std::vector<CompileOptions>& all_options() {
  static const std::vector<CompileOptions> kAll{CompileOptions::none(), CompileOptions::exact(),
                                                CompileOptions()};
  return kAll;
}

TEST_P(ControlFlowTest, TakesTheBranchOfThePredicate) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable limit = data("limit", {1}, kFloat32);
  const Variable large = less_than(limit, reduce_sum(x, {}, true));
  const Variable y = cond(
      large, [&] { return x * 2.0; }, [&] { return x + limit; });
  const Variable z = y + 1.0;
  EXPECT_EQ(y.shape(), Shape{-1});
  for (const CompileOptions& options : all_options()) {
    EXPECT_THAT(floats({{"x", vector({1, 2})}, {"limit", vector({0})}}, z, options),
                ElementsAre(3, 5));
    EXPECT_THAT(floats({{"x", vector({1, 2})}, {"limit", vector({9})}}, z, options),
                ElementsAre(11, 12));
    EXPECT_THAT(floats({{"x", vector({4})}, {"limit", vector({9})}}, z, options), ElementsAre(14));
  }
}

TEST_P(ControlFlowTest, BranchesDifferInDtypeAndShape) {
  const Variable x = data("x", {1}, kFloat32);
  const auto one = [] { return fill_constant({1, 2}, 1.0); };
  const auto two = [] { return fill_constant({2, 2}, 2, kInt32); };
  const auto three = [] { return fill_constant({3}, 3, kInt32); };
  const Variable zero = fill_constant({1}, 0.0);
  const Variable out = case_of({{less_than(x, zero), one}, {equal(x, zero), two}}, three);
  EXPECT_EQ(out.dtype(), DType::kNone);
  for (const CompileOptions& options : all_options()) {
    Tensor got = run({{"x", vector({-1})}}, {out}, options).front();
    EXPECT_EQ(got.shape(), (Shape{1, 2}));
    EXPECT_THAT(got.to_vector<float>(), ElementsAre(1, 1));
    got = run({{"x", vector({0})}}, {out}, options).front();
    EXPECT_EQ(got.shape(), (Shape{2, 2}));
    EXPECT_THAT(got.to_vector<std::int32_t>(), ElementsAre(2, 2, 2, 2));
    got = run({{"x", vector({5})}}, {out}, options).front();
    EXPECT_THAT(got.to_vector<std::int32_t>(), ElementsAre(3, 3, 3));
  }
  EXPECT_THAT(error_of([&] { (void)relu(out); }),
              HasSubstr("has neither a dtype nor a shape before the run"));
}

TEST_P(ControlFlowTest, ExtentsThatDifferAreKnownInTheRun) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {4}, kFloat32);
  const Variable part = cond(
      on, [&] { return slice(x, {0}, {0}, {3}); }, [&] { return slice(x, {0}, {0}, {1}); });
  EXPECT_EQ(part.shape(), Shape{-1});
  const Variable sum = reduce_sum(part * part);
  const auto feed = [&](bool value) {
    return Feed{{"on", truth(value)}, {"x", vector({1, 2, 3, 4})}};
  };
  for (const CompileOptions& options : all_options()) {
    EXPECT_THAT(floats(feed(true), sum, options), ElementsAre(14));
    EXPECT_THAT(floats(feed(false), sum, options), ElementsAre(1));
  }
}

TEST_P(ControlFlowTest, SwitchesByAnIndex) {
  const Variable index = data("index", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = switch_case(
      index, {{3, [&] { return x * 3.0; }}, {-7, [&] { return x * 7.0; }}}, [&] { return x; });
  for (const CompileOptions& options : all_options()) {
    const auto at = [&](std::int64_t i) {
      return floats({{"index", number(i)}, {"x", vector({1, 2})}}, y, options);
    };
    EXPECT_THAT(at(3), ElementsAre(3, 6));
    EXPECT_THAT(at(-7), ElementsAre(7, 14));
    EXPECT_THAT(at(0), ElementsAre(1, 2));
    EXPECT_THAT(at(100), ElementsAre(1, 2));
  }
}

TEST_P(ControlFlowTest, BranchesNest) {
  const Variable x = data("x", {1}, kFloat32);
  const Variable y = data("y", {2}, kFloat32);
  const auto above = [&](double limit) { return less_than(fill_constant({1}, limit), x); };
  const Variable z = cond(
      above(0),
      [&] {
        const Variable doubled = y * 2.0;
        return cond(
            above(10), [&] { return doubled + y; }, [&] { return doubled; });
      },
      [&] { return y; });
  const Variable all = z + x;
  for (const CompileOptions& options : all_options()) {
    const auto at = [&](float value) {
      return floats({{"x", vector({value})}, {"y", vector({1, 2})}}, all, options);
    };
    EXPECT_THAT(at(-1), ElementsAre(0, 1));
    EXPECT_THAT(at(1), ElementsAre(3, 5));
    EXPECT_THAT(at(11), ElementsAre(14, 17));
  }
}

TEST_P(ControlFlowTest, ChoosesByHand) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  const Variable yes = conditional_block(on, [&] { return Values{x + 1.0}; }).front();
  const Variable no = conditional_block(logical_not(on), [&] { return Values{x - 1.0}; }).front();
  const Variable y = select_input(cast(on, kInt32), {no, yes});
  for (const CompileOptions& options : all_options()) {
    const auto at = [&](bool value, const Variable& fetch) {
      return floats({{"on", truth(value)}, {"x", vector({1, 2})}}, fetch, options);
    };
    EXPECT_THAT(at(true, y), ElementsAre(2, 3));
    EXPECT_THAT(at(false, y), ElementsAre(0, 1));
  }
  const Variable read = yes * 2.0;
  const Feed off{{"on", truth(false)}, {"x", vector({1, 2})}};
  EXPECT_THAT(
      error_of([&] { run(off, {read}); }),
      HasSubstr("reads 'conditional_block_0.outs', which conditional_block_0 did not compute, "
                "as its predicate is false"));
  const Variable wrong = select_input(cast(logical_not(on), kInt32), {no, yes});
  EXPECT_THAT(error_of([&] { run(off, {wrong}); }),
              HasSubstr("selects 'conditional_block_0.outs', which conditional_block_0 did not"));
  const Variable outside = select_input(cast(on, kInt32), {x});
  EXPECT_THAT(error_of([&] {
                run({{"on", truth(true)}, {"x", vector({1, 2})}}, {outside});
              }),
              HasSubstr("has 1 inputs, but 'cast_0.out' is 1; give one in [0, 1)"));
}

TEST_P(ControlFlowTest, LoopsWhileTheConditionHolds) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {-1}, kFloat32);
  const Variable step = x * 0.5;
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{v[0] + 1.0, v[1] + step};
                                 },
                                 {fill_constant({1}, 0, kInt64), x});
  const Variable y = last[1] * 10.0;
  for (const CompileOptions& options : all_options()) {
    for (const int count : {0, 1, 2, 5, 8}) {
      const float factor = 10 * (1 + 0.5F * static_cast<float>(count));
      EXPECT_THAT(floats({{"n", number(count)}, {"x", vector({1, 2})}}, y, options),
                  ElementsAre(factor, 2 * factor))
          << count;
    }
  }
}

TEST_P(ControlFlowTest, LoopsSwapTheirValues) {
  const Variable n = data("n", {1}, kInt64);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   return Values{v[0] + 1.0, v[2], v[1], v[3]};
                                 },
                                 {fill_constant({1}, 0, kInt64), fill_constant({1}, 1.0),
                                  fill_constant({1}, 2.0), fill_constant({2}, 7.0)});
  for (const CompileOptions& options : all_options()) {
    for (const int count : {0, 1, 4, 5}) {
      const auto got = run({{"n", number(count)}}, {last[0], last[1], last[2], last[3]}, options);
      const float first = count % 2 == 0 ? 1 : 2;
      EXPECT_THAT(got[0].to_vector<std::int64_t>(), ElementsAre(count));
      EXPECT_THAT(got[1].to_vector<float>(), ElementsAre(first));
      EXPECT_THAT(got[2].to_vector<float>(), ElementsAre(3 - first));
      EXPECT_THAT(got[3].to_vector<float>(), ElementsAre(7, 7));
    }
  }
}

// The number of steps of 3n + 1 to 1: a branch in a loop.
TEST_P(ControlFlowTest, LoopsHaveBranches) {
  const Variable start = data("start", {1}, kInt64);
  const Variable one = fill_constant({1}, 1, kInt64);
  const Values last =
      while_loop([&](const Values& v) { return logical_not(equal(v[0], one)); },
                 [&](const Values& v) {
                   const Variable half = elementwise_div(v[0], full_like(v[0], 2));
                   const Variable even = equal(half + half, v[0]);
                   const Variable next = cond(
                       even, [&] { return half; }, [&] { return v[0] + v[0] + v[0] + one; });
                   return Values{next, v[1] + one};
                 },
                 {start, fill_constant({1}, 0, kInt64)});
  for (const CompileOptions& options : all_options()) {
    const auto steps = [&](std::int64_t value) {
      return run({{"start", number(value)}}, {last[1]}, options).front().item<std::int64_t>();
    };
    EXPECT_EQ(steps(1), 0);
    EXPECT_EQ(steps(6), 8);
    EXPECT_EQ(steps(27), 111);
  }
}

TEST_P(ControlFlowTest, LoopsNestInLoopsAndBranches) {
  const Variable n = data("n", {1}, kInt64);
  const Variable zero = fill_constant({1}, 0, kInt64);
  // Adds 0 + 1 + ... + (n - 1) by counting.
  const auto count_up = [&] {
    return while_loop([&](const Values& v) { return less_than(v[0], n); },
                      [&](const Values& v) {
                        const Values inner =
                            while_loop([&](const Values& w) { return less_than(w[0], v[0]); },
                                       [&](const Values& w) {
                                         return Values{w[0] + 1.0, w[1] + 1.0};
                                       },
                                       {zero, v[1]});
                        return Values{v[0] + 1.0, inner[1]};
                      },
                      {zero, zero})[1];
  };
  const Variable total = cond(less_than(zero, n), count_up, [&] { return zero - 1.0; });
  for (const CompileOptions& options : all_options()) {
    const auto at = [&](std::int64_t value) {
      return run({{"n", number(value)}}, {total}, options).front().item<std::int64_t>();
    };
    EXPECT_EQ(at(0), -1);
    EXPECT_EQ(at(1), 0);
    EXPECT_EQ(at(6), 15);
  }
}

TEST_P(ControlFlowTest, BranchesAndLoopsUseAndChangeState) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {4, 2}, kFloat32);
  const Variable y = cond(
      on, [&] { return layers::batch_norm(layers::fc(x, 3, "fc"), {}, "norm"); },
      [&] { return layers::fc(x, 3, "other"); });
  const Variable sum = reduce_sum(y);
  Executor executor(GetParam(), {}, scope_);
  executor.run(startup_);
  const auto mean = [&] {
    return executor
        .run(main_,
             {{"on", truth(false)}, {"x", Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})}},
             {"norm.mean"})
        .front()
        .to_vector<float>();
  };
  EXPECT_THAT(mean(), ElementsAre(0, 0, 0));
  executor.run(main_,
               {{"on", truth(true)}, {"x", Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})}},
               {sum});
  const auto once = mean();
  EXPECT_NE(once[0], 0);
  EXPECT_EQ(mean(), once) << "a branch that is not taken changes nothing";
}

// A loop with a branch, branches with and without a default, one in another, and blocks whose
// results are selected.
Variable every_form(const Variable& n, const Variable& x) {
  const Variable zero = fill_constant({1}, 0, kInt64);
  const auto step = [&](const Values& v) {
    const Variable early = less_than(v[0], zero + 2.0);
    const Variable next = cond(
        early, [&] { return v[1] + x; }, [&] { return v[1] * 2.0; });
    return Values{v[0] + 1.0, next};
  };
  const Variable last =
      while_loop([&](const Values& v) { return less_than(v[0], n); }, step, {zero, x})[1];
  const Variable few = less_than(n, zero + 2.0);
  const auto nested = [&] {
    return switch_case(n, {{2, [&] { return last * 3.0; }}}, [&] { return last + x; });
  };
  const Variable chosen =
      case_of({{few, [&] { return last + 1.0; }}, {less_than(n, zero + 4.0), nested}},
              [&] { return last * 0.5; });
  const Variable other = case_of(
      {{few, [&] { return chosen * 1.0; }}, {logical_not(few), [&] { return chosen - 1.0; }}});
  const Variable yes = conditional_block(few, [&] { return Values{other + x}; }).front();
  const Variable no =
      conditional_block(logical_not(few), [&] { return Values{other * x}; }).front();
  return select_input(cast(few, kInt32), {no, yes});
}

float every_form_of_numbers(int n, float x) {
  float last = x;
  for (int i = 0; i < n; ++i) last = i < 2 ? last + x : last * 2;
  if (n < 2) return last + 1 + x;
  const float chosen = n == 2 ? last * 3 : n < 4 ? last + x : last / 2;
  return (chosen - 1) * x;
}

TEST_P(ControlFlowTest, EveryFormIsSaved) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = every_form(n, x);
  main_.verify();
  const std::string text = inspect::to_json(main_);
  EXPECT_THAT(main_.to_string(), HasSubstr("block 1 ("));
  const test::ScratchDirectory directory;
  const std::string path = directory.path() + "/model";
  io::save_program(path, main_, startup_);
  const Program parsed = io::load_model(path).main;
  EXPECT_EQ(inspect::to_json(parsed), text);
  Executor executor(GetParam(), {}, scope_);
  for (const int count : {0, 1, 2, 3, 4}) {
    const Feed feed{{"n", number(count)}, {"x", vector({1, 2})}};
    EXPECT_THAT(executor.run(parsed, feed, {y.name()}).front().to_vector<float>(),
                ElementsAre(every_form_of_numbers(count, 1), every_form_of_numbers(count, 2)))
        << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, ControlFlowTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& place) { return std::string(place.param).substr(0, 3); });

}  // namespace
}  // namespace loci
