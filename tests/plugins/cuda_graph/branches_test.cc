// Branches about which the device decides by itself, within the graph of their program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/inspect.hpp>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda_graph/counts_driver_calls.h"

namespace loci::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Values = std::vector<Variable>;

Variable is_positive(const Variable& x) {
  return greater_than(reduce_sum(x), fill_constant({1}, 0.0F));
}

class CudaGraphBranchesTest : public CountsDriverCalls {
 protected:
  static CompileOptions options(GraphCapture capture) {
    CompileOptions options = CompileOptions::none();
    options.capture = capture;
    return options;
  }
  // y(x), x having two elements.
  void build(const std::function<Variable(const Variable& x)>& body) {
    const ProgramGuard building(program_);
    y_ = body(data("x", {2}, kFloat32));
  }
  [[nodiscard]] std::vector<float> run(Executor& executor, const std::vector<float>& x) const {
    return executor.run(program_, {{"x", there(x)}}, {y_})[0].to_vector<float>();
  }
  [[nodiscard]] std::vector<inspect::CapturedPart> parts(Executor& executor) const {
    return inspect::capture(executor, program_, {{"x", there({1, 2})}}, {y_}).parts;
  }
  // Expects of each x what a run without graphs gives; both ways by turns, and again.
  void expect_as_plain(const std::vector<std::vector<float>>& all) const {
    Executor plain("cuda:0", options(GraphCapture::kOff), Scope());
    Executor captured("cuda:0", options(GraphCapture::kAuto), Scope());
    for (int i = 0; i < 3; ++i) {
      for (const std::vector<float>& x : all) EXPECT_EQ(run(captured, x), run(plain, x));
    }
    expect_one_graph(captured);
  }
  void expect_one_graph(Executor& executor) const {
    const std::vector<inspect::CapturedPart> found = parts(executor);
    ASSERT_THAT(found, SizeIs(1)) << found.front().reason << "; " << found.back().reason;
    EXPECT_TRUE(found[0].is_native) << found[0].reason;
  }

  const Program program_;
  Variable y_;
};

TEST_F(CudaGraphBranchesTest, AProgramWithABranchIsOneGraph) {
  build([](const Variable& x) {
    const Variable before = exp(x);
    const Variable chosen = cond(
        is_positive(x), [&] { return relu(before) + x; }, [&] { return before * x - before; });
    return chosen + before;
  });
  expect_as_plain({{1, 2}, {-1, -2}, {3, -1}, {-3, 1}});
}

// Whatever it decides: nothing is launched and nothing read by the host meanwhile.
TEST_F(CudaGraphBranchesTest, AReplayIsOneLaunch) {
  build([](const Variable& x) {
    return relu(cond(
        is_positive(x), [&] { return x + x; }, [&] { return x * x; }));
  });
  Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
  std::vector<Tensor> kept;
  const auto run_there = [&](float first) {
    kept.push_back(there({first, 1}));
    kept.push_back(executor.run(program_, {{"x", kept.back()}}, {Fetch(y_).at("cuda:0")})[0]);
  };
  for (int i = 0; i < 4; ++i) run_there(1);
  for (const float first : {1.0F, -9.0F}) {
    auto calls = DriverCalls::of([&] { run_there(first); });
    EXPECT_EQ(calls["cuGraphLaunch"], 1);
    EXPECT_EQ(calls["cuLaunchKernel"], 0);
    EXPECT_EQ(calls["cuStreamBeginCapture_v2"], 0);
    EXPECT_EQ(kept.back().to_vector<float>(),
              first > 0 ? (std::vector<float>{2, 2}) : (std::vector<float>{81, 1}));
  }
}

TEST_F(CudaGraphBranchesTest, SeveralPredicatesAreBranchesInOneAnother) {
  build([](const Variable& x) {
    const Variable sum = reduce_sum(x);
    const auto is_over = [&](float limit) { return greater_than(sum, fill_constant({1}, limit)); };
    return case_of({{is_over(10), [&] { return x + x; }}, {is_over(5), [&] { return exp(x); }}},
                   [&] { return relu(x); });
  });
  expect_as_plain({{7, 6}, {4, 2}, {-1, 1}});
}

TEST_F(CudaGraphBranchesTest, ABranchMayBeWithinABranch) {
  build([](const Variable& x) {
    return cond(
        is_positive(x),
        [&] {
          const Variable large = greater_than(reduce_sum(x), fill_constant({1}, 10.0F));
          return cond(
                     large, [&] { return x * x; }, [&] { return x + x; }) +
                 x;
        },
        [&] { return relu(x) - x; });
  });
  expect_as_plain({{7, 6}, {4, 2}, {-1, -1}});
}

TEST_F(CudaGraphBranchesTest, ABranchMayBeWithinALoop) {
  build([](const Variable& x) {
    const Variable limit = fill_constant({1}, 100.0F);
    return while_loop([&](const Values& v) { return less_than(reduce_sum(v[0]), limit); },
                      [](const Values& v) {
                        return Values{cond(
                            is_positive(v[0]), [&] { return v[0] + v[0]; },
                            [&] { return relu(v[0]) + exp(v[0]); })};
                      },
                      {x})[0];
  });
  expect_as_plain({{1, 2}, {-3, -5}, {99, 5}});
}

TEST_F(CudaGraphBranchesTest, ALoopMayBeWithinABranch) {
  build([](const Variable& x) {
    const Variable limit = fill_constant({1}, 100.0F);
    const auto grow = [&] {
      return while_loop([&](const Values& v) { return less_than(reduce_sum(v[0]), limit); },
                        [](const Values& v) { return Values{v[0] + v[0]}; }, {x})[0];
    };
    return cond(is_positive(x), grow, [&] { return relu(x); });
  });
  expect_as_plain({{1, 2}, {-3, -5}, {99, 5}});
}

// The branch passes x on, the same twice, and computes nothing of its own.
TEST_F(CudaGraphBranchesTest, ABranchMayComputeNothing) {
  build([](const Variable& x) {
    const std::vector<Variable> both = cond(
        is_positive(x),
        [&] {
          return Values{x, x};
        },
        [&] {
          const Variable y = x * x;
          return Values{y, y};
        });
    return both[0] + both[1];
  });
  expect_as_plain({{1, 2}, {-3, -5}});
}

// Parameters in both branches, an optimiser behind them: each step changes what the next one reads.
TEST_F(CudaGraphBranchesTest, TrainingGoesThroughBranches) {
  const Program startup;
  Variable loss;
  {
    const ProgramGuard building(program_, startup);
    const Variable x = data("x", {2, 2}, kFloat32);
    const Variable w = create_parameter({2, 2}, kFloat32, initializer::constant(0.5));
    const Variable chosen = cond(
        is_positive(x), [&] { return matmul(x, w); }, [&] { return relu(matmul(x, w)) - w; });
    loss = reduce_mean(chosen * chosen);
    optimizer::SGD(0.05).minimize(loss);
  }
  const auto train = [&](GraphCapture capture) {
    Executor executor("cuda:0", options(capture), Scope());
    executor.run(startup);
    std::vector<float> losses;
    for (int step = 0; step < 8; ++step) {
      const float sign = step % 3 == 0 ? -1.0F : 1.0F;
      const Tensor x = Tensor::from(std::vector<float>{sign, 2 * sign, 0.5F, sign}, {2, 2});
      losses.push_back(executor.run(program_, {{"x", x.to("cuda:0")}}, {loss})[0].item<float>());
    }
    if (capture != GraphCapture::kOff) {
      const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2}).to("cuda:0");
      const auto found = inspect::capture(executor, program_, {{"x", x}}, {loss}).parts;
      EXPECT_THAT(found, SizeIs(1)) << found.front().reason << "; " << found.back().reason;
    }
    return losses;
  };
  EXPECT_EQ(train(GraphCapture::kAuto), train(GraphCapture::kOff));
}

// The scope has the variable: in a branch and a loop, and where it is another tensor than before.
TEST_F(CudaGraphBranchesTest, VariablesAreFollowedIntoBlocks) {
  {
    const ProgramGuard building(program_);
    const Variable x = data("x", {2}, kFloat32);
    const Variable w = create_persistable({2}, kFloat32, initializer::constant(1), "w");
    const Variable limit = fill_constant({1}, 100.0F);
    const Variable chosen = cond(
        is_positive(x), [&] { return x + w; }, [&] { return x * w; });
    y_ = while_loop([&](const Values& v) { return less_than(reduce_sum(v[0]), limit); },
                    [&](const Values& v) { return Values{v[0] + w}; }, {relu(chosen)})[0];
  }
  Scope scope;
  Executor executor("cuda:0", options(GraphCapture::kAuto), scope);
  const auto expect = [&](const std::vector<float>& w) {
    scope.set("w", there(w));
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(run(executor, {30, 15}), ElementsAre(30 + 2 * w[0], 15 + 2 * w[1]));
      EXPECT_THAT(run(executor, {-5, -3}), ElementsAre(2 * w[0], 2 * w[1]));
    }
  };
  expect({20, 30});
  expect({22, 28});
  expect({50, 0});
  expect_one_graph(executor);
}

// Each run draws other numbers, the same as without graphs.
TEST_F(CudaGraphBranchesTest, BranchesDrawWhatTheyDrawWithoutGraphs) {
  build([](const Variable& x) {
    const Variable wide = expand(reshape(x, {2, 1}), {2, 50});
    return cond(
        is_positive(x), [&] { return dropout(wide, 0.5); }, [&] { return dropout(wide, 0.25); });
  });
  const auto draw = [&](GraphCapture capture) {
    Executor executor("cuda:0", options(capture), Scope());
    std::vector<std::vector<float>> all;
    for (const float first : {1.0F, -1.0F, 1.0F, 1.0F, -1.0F, -1.0F, 1.0F}) {
      all.push_back(run(executor, {first, first / 2}));
    }
    if (capture != GraphCapture::kOff) expect_one_graph(executor);
    return all;
  };
  const auto plain = draw(GraphCapture::kOff);
  EXPECT_EQ(draw(GraphCapture::kAuto), plain);
  EXPECT_NE(plain[2], plain[3]);
}

// The host goes on deciding, by plans for what is taken; the reason says why.
TEST_F(CudaGraphBranchesTest, WhatTheDeviceCannotDecideIsTold) {
  build([](const Variable& x) {
    return cond(
        is_positive(x), [&] { return relu(x); }, [&] { return reduce_sum(x); });
  });
  Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
  EXPECT_THAT(run(executor, {1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(run(executor, {-1, -2}), ElementsAre(-3));
  const auto problems = inspect::capture_problems(executor, program_, {{"x", there({1, 2})}}, {y_});
  EXPECT_THAT(inspect::to_string(problems),
              HasSubstr("[case] case_0: what it decides by is read on the host: its branches give "
                        "values of different types; capture the steps without it"));
}

TEST_F(CudaGraphBranchesTest, APredicateOfTheHostIsDecidedThere) {
  {
    const ProgramGuard building(program_);
    const Variable x = data("x", {2}, kFloat32);
    const Variable flag = data("flag", {1}, kBool);
    y_ = cond(
             flag, [&] { return relu(x) + x; }, [&] { return x * x; }) +
         x;
  }
  Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
  for (int i = 0; i < 4; ++i) {
    const bool flag = i % 2 == 0;
    const Feed feed{{"x", there({2, 3})}, {"flag", Tensor::from(std::vector<bool>{flag}, {1})}};
    EXPECT_EQ(executor.run(program_, feed, {y_})[0].to_vector<float>(),
              flag ? (std::vector<float>{6, 9}) : (std::vector<float>{6, 12}));
  }
}

// Its library: the capturer says so when it records the first.
TEST_F(CudaGraphBranchesTest, WithoutTheDeviceRuntimeItSplitsTheGraph) {
  build([](const Variable& x) {
    return relu(cond(
               is_positive(x), [&] { return x + x; }, [&] { return x * x; })) +
           x;
  });
  ::setenv("LOCI_CUDA_GRAPH_CUDADEVRT", "0", 1);
  {
    const Context context;
    const ContextGuard guard(context);
    Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(run(executor, {2, 1}), ElementsAre(6, 3));
      EXPECT_THAT(run(executor, {-2, -1}), ElementsAre(2, 0));
    }
    const std::vector<inspect::CapturedPart> found = parts(executor);
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_TRUE(found[0].is_native);
    EXPECT_THAT(found[1].reason, HasSubstr("there is no libcudadevrt.a; install the package"));
    EXPECT_TRUE(found[2].is_native);
  }
  ::unsetenv("LOCI_CUDA_GRAPH_CUDADEVRT");
}

TEST_F(CudaGraphBranchesTest, ItIsNoProblemOfARequiredCapture) {
  build([](const Variable& x) {
    return cond(
               is_positive(x), [&] { return x + x; }, [&] { return x * x; }) +
           x;
  });
  Executor executor("cuda:0", options(GraphCapture::kRequired), Scope());
  const Feed feed{{"x", there({1, 2})}};
  const std::vector<Fetch> fetch{Fetch(y_).at("cuda:0")};
  EXPECT_THAT(inspect::to_string(inspect::capture_problems(executor, program_, feed, fetch)),
              IsEmpty());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(executor.run(program_, feed, fetch)[0].to_vector<float>(), ElementsAre(3, 6));
  }
}

}  // namespace
}  // namespace loci::test
