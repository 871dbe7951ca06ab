// Random operators in loops, scans and branches, on the CPU and on a device with memory of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/creation.hpp>
#include <loci/io.hpp>
#include <loci/loci.hpp>
#include <loci/trace.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::Each;
using Floats = std::vector<float>;

constexpr std::int64_t kWidth = 64;

template <class V>
V ones_like(const V& x) {
  return full_like(x, 1.0);
}

// Three masks of as many iterations, each from two draws, with one in the condition.
template <class V>
std::vector<V> loop(const V& x) {
  using List = std::vector<V>;
  const V zero = full_like(slice(x, {0}, {0}, {1}), 0.0);
  return while_loop(
      [&](const List& v) {
        const V drawn = reduce_sum(dropout(ones_like(x)), {0}, true);
        return less_than(elementwise_add(v[0], scale(drawn, 0.0)), full_like(v[0], 3.0));
      },
      [](const List& v) {
        const V mask = elementwise_mul(dropout(ones_like(v[1])), dropout(ones_like(v[1])));
        return List{elementwise_add(v[0], ones_like(v[0])), v[2], v[3], mask};
      },
      List{zero, x, x, x});
}

// A mask for each row.
template <class V>
ScanResult<V> masked(const V& rows) {
  using List = std::vector<V>;
  return scan(
      [](const List& carry, const List& x) {
        const V kept = dropout(x[0]);
        const V inner = cond(
            less_than(reduce_sum(carry[0], {0}, true),
                      full_like(slice(carry[0], {0}, {0}, {1}), 1e9)),
            [&] { return dropout(kept, 0.2); }, [&] { return kept; });
        return ScanResult<V>{{elementwise_add(carry[0], inner)}, {inner}};
      },
      List{full_like(squeeze(slice(rows, {0}, {0}, {1}), {0}), 0.0)}, List{rows});
}

using Values = std::vector<Variable>;

class RandomLoopsTest : public ::testing::TestWithParam<const char*> {
 protected:
  RandomLoopsTest() { scope_.set("@random_state", Tensor::from<std::uint64_t>({17, 0}, {2})); }
  static Tensor ones(const Shape& shape) {
    return Tensor::from(Floats(static_cast<std::size_t>(shape.numel()), 1.0F), shape);
  }
  std::vector<Floats> run(const Feed& feed, const std::vector<Variable>& fetches,
                          const CompileOptions& options = {}) {
    scope_.set("@random_state", Tensor::from<std::uint64_t>({17, 0}, {2}));
    std::vector<Floats> values;
    std::vector<Fetch> wanted(fetches.begin(), fetches.end());
    for (const Tensor& result : Executor(GetParam(), options, scope_).run(main_, feed, wanted)) {
      values.push_back(result.to_vector<float>());
    }
    return values;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

TEST_P(RandomLoopsTest, EachIterationDrawsOtherNumbers) {
  const std::vector<Variable> out = loop(data("x", {kWidth}, kFloat32));
  main_.verify();
  const Feed feed{{"x", ones({kWidth})}};
  const std::vector<Floats> masks = run(feed, {out[1], out[2], out[3]});
  EXPECT_EQ(std::set<Floats>(masks.begin(), masks.end()).size(), 3);
  EXPECT_EQ(run(feed, {out[1], out[2], out[3]}), masks) << "from the same seed";
  EXPECT_EQ(run(feed, {out[1], out[2], out[3]}, CompileOptions::none()), masks);
  const auto next = Executor(GetParam(), {}, scope_).run(main_, feed, {out[1]});
  EXPECT_NE(next[0].to_vector<float>(), masks[0]) << "the next run draws others";
}

TEST_P(RandomLoopsTest, DrawTheSameImperativeAndTraced) {
  const auto all = [](const std::vector<Tensor>& in) {
    const Tensor before = dropout(in[0]);
    std::vector<Tensor> results = loop(in[0]);
    const ScanResult<Tensor> rows = masked(in[1]);
    results.insert(results.end(), {rows.carry[0], rows.ys[0], before, dropout(in[0])});
    return results;
  };
  const Tensor x = ones({kWidth}).to(GetParam());
  const Tensor rows = ones({4, kWidth}).to(GetParam());
  seed(17);
  const std::vector<Tensor> imperative = all({x, rows});
  const auto step = compile(all, {x, rows}, TraceOptions(), CompileOptions::exact());
  seed(17);
  const std::vector<Tensor> traced = step({x, rows});
  ASSERT_EQ(traced.size(), imperative.size());
  for (std::size_t i = 0; i < traced.size(); ++i) {
    EXPECT_EQ(traced[i].to_vector<float>(), imperative[i].to_vector<float>()) << i;
  }
}

// A program that is built draws the same, at every place.
TEST_P(RandomLoopsTest, DrawTheSameInAProgram) {
  const Variable x = data("x", {kWidth}, kFloat32);
  const Variable rows = data("rows", {4, kWidth}, kFloat32);
  const std::vector<Variable> looped = loop(x);
  const ScanResult<Variable> scanned = masked(rows);
  const Variable behind = dropout(x);
  const Feed feed{{"x", ones({kWidth})}, {"rows", ones({4, kWidth})}};
  const std::vector<Floats> drawn =
      run(feed, {looped[1], looped[2], looped[3], scanned.ys[0], behind});
  seed(17);
  const std::vector<Tensor> imperative = loop(ones({kWidth}));
  const Tensor stacked = masked(ones({4, kWidth})).ys[0];
  EXPECT_EQ(drawn[0], imperative[1].to_vector<float>());
  EXPECT_EQ(drawn[1], imperative[2].to_vector<float>());
  EXPECT_EQ(drawn[2], imperative[3].to_vector<float>());
  EXPECT_EQ(drawn[3], stacked.to_vector<float>());
  EXPECT_EQ(drawn[4], dropout(ones({kWidth})).to_vector<float>());
}

// Whichever branch runs, and however often a loop does.
TEST_P(RandomLoopsTest, WhatIsDrawnBehindDoesNotHangOnWhatRan) {
  const Variable on = data("on", {1}, kBool);
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {kWidth}, kFloat32);
  const Variable chosen = cond(
      on, [&] { return dropout(dropout(x)); }, [&] { return x; });
  const Variable looped = while_loop(
      [&](const Values& v) { return less_than(v[0], n); },
      [](const Values& v) {
        return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)), dropout(v[1])};
      },
      {full_like(n, 0.0), x})[1];
  const Variable behind = dropout(x);
  std::set<Floats> drawn;
  for (const bool is_on : {true, false}) {
    for (const std::int64_t count : {0, 1, 5}) {
      const Feed feed{{"on", Tensor::from<bool>({is_on}, {1})},
                      {"n", Tensor::from<std::int64_t>({count}, {1})},
                      {"x", ones({kWidth})}};
      drawn.insert(run(feed, {behind, chosen, looped})[0]);
      seed(17);
      const auto same = [](const Tensor& value) { return value; };
      (void)cond(
          Tensor::from<bool>({is_on}, {1}), [&] { return dropout(same(ones({kWidth}))); },
          [&] { return ones({kWidth}); });
      (void)while_loop(
          [&](const std::vector<Tensor>& v) {
            return less_than(v[0], full_like(v[0], static_cast<double>(count)));
          },
          [](const std::vector<Tensor>& v) {
            return std::vector<Tensor>{v[0] + 1.0, dropout(v[1])};
          },
          {Tensor::from<std::int64_t>({0}, {1}), ones({kWidth})});
      drawn.insert(dropout(ones({kWidth})).to_vector<float>());
    }
  }
  EXPECT_EQ(drawn.size(), 1);
}

// d of the sum of what was kept is what it was multiplied by: the mask of the forward pass.
TEST_P(RandomLoopsTest, GradientsSeeTheDrawsOfTheForwardPass) {
  const Variable x = data("x", {kWidth}, kFloat32);
  const Variable rows = data("rows", {4, kWidth}, kFloat32);
  const Variable on = data("on", {1}, kBool);
  for (const Variable& input : {x, rows}) input.set_stop_gradient(false);
  const Variable n = data("n", {1}, kInt64);
  const Variable looped =
      while_loop([&](const Values& v) { return less_than(v[0], n); },
                 [](const Values& v) {
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                dropout(v[1], 0.1)};
                 },
                 {full_like(n, 0.0), x})[1];
  const Variable scanned = masked(rows).ys[0];
  const Variable chosen = cond(
      on, [&] { return dropout(x); }, [&] { return x; });
  std::vector<Variable> fetches{looped, scanned, chosen};
  fetches.push_back(gradients(reduce_sum(looped), {x})[0]);
  fetches.push_back(gradients(reduce_sum(scanned), {rows})[0]);
  fetches.push_back(gradients(reduce_sum(chosen), {x})[0]);
  main_.verify();
  const Feed feed{{"x", ones({kWidth})},
                  {"rows", ones({4, kWidth})},
                  {"on", Tensor::from<bool>({true}, {1})},
                  {"n", Tensor::from<std::int64_t>({100}, {1})}};
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    const std::vector<Floats> values = run(feed, fetches, options);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(values[i].size(), values[i + 3].size());
      for (std::size_t k = 0; k < values[i].size(); ++k) {
        EXPECT_FLOAT_EQ(values[i + 3][k], values[i][k]) << i << " " << k;
      }
    }
  }
}

// Peeled iterations count on.
TEST_P(RandomLoopsTest, GrowingLoopsDrawToo) {
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {kWidth}, kFloat32);
  const auto grown = [](const auto& from, const auto& count) {
    using V = std::decay_t<decltype(from)>;
    return while_loop([&](const std::vector<V>& v) { return less_than(v[0], count); },
                      [&](const std::vector<V>& v) {
                        return std::vector<V>{
                            elementwise_add(v[0], full_like(v[0], 1.0)),
                            concat(std::vector<V>{v[1], dropout(full_like(from, 1.0))})};
                      },
                      std::vector<V>{full_like(count, 0.0), from})[1];
  };
  const Variable last = grown(x, n);
  const Tensor three = Tensor::from<std::int64_t>({3}, {1});
  const Floats drawn = run({{"n", three}, {"x", ones({kWidth})}}, {last})[0];
  seed(17);
  EXPECT_EQ(drawn, grown(ones({kWidth}), three).to_vector<float>());
}

TEST_P(RandomLoopsTest, ASavedProgramDrawsTheSame) {
  const Variable x = data("x", {kWidth}, kFloat32);
  const std::vector<Variable> out = loop(x);
  const Variable behind = dropout(x);
  const Feed feed{{"x", ones({kWidth})}};
  const std::vector<Floats> before = run(feed, {out[1], out[3], behind});
  const test::ScratchDirectory directory;
  io::save_program(directory.path("loop"), main_, startup_, &scope_);
  const io::Model loaded = io::load_model(directory.path("loop"));
  Scope other;
  other.set("@random_state", Tensor::from<std::uint64_t>({17, 0}, {2}));
  const auto name = [](const Variable& variable) { return variable.name(); };
  const std::vector<Tensor> after =
      Executor(GetParam(), {}, other)
          .run(loaded.main, feed, {name(out[1]), name(out[3]), name(behind)});
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].to_vector<float>(), before[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Places, RandomLoopsTest, ::testing::Values("cpu", "sim:0"));

}  // namespace
}  // namespace loci
