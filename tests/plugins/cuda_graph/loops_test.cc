// Loops that the device goes through by itself, within the graph of their program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/inspect.hpp>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda_graph/counts_driver_calls.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<Variable>;

class CudaGraphLoopsTest : public CountsDriverCalls {
 protected:
  // Doubles relu(x), by turns with another value, while its sum is less than 100; adds 1.
  void build(const WhileOptions& loop = {}) {
    const ProgramGuard building(program_);
    const Variable x = data("x", {2}, kFloat32);
    const Variable limit = fill_constant({1}, 100.0F);
    const Values last =
        while_loop([&](const Values& v) { return less_than(reduce_sum(v[0]), limit); },
                   [](const Values& v) {
                     return Values{v[1] + v[1], v[0]};
                   },
                   {relu(x), exp(x)}, loop);
    y_ = last[0] + last[1];
  }
  static CompileOptions options(GraphCapture capture) {
    CompileOptions options = CompileOptions::none();
    options.capture = capture;
    return options;
  }
  std::vector<float> run(Executor& executor, const Tensor& x) const {
    return executor.run(program_, {{"x", x}}, {y_})[0].to_vector<float>();
  }
  std::vector<inspect::CapturedPart> parts(Executor& executor) const {
    return inspect::capture(executor, program_, {{"x", there({1, 2})}}, {y_}).parts;
  }

  const Program program_;
  Variable y_;
};

TEST_F(CudaGraphLoopsTest, AProgramWithALoopIsOneGraph) {
  build();
  Executor plain("cuda:0", options(GraphCapture::kOff), Scope());
  Executor captured("cuda:0", options(GraphCapture::kAuto), Scope());
  // None, one, and several rounds, an odd number and an even one.
  for (const float first : {1.0F, 60.0F, 99.0F, 3.0F, 200.0F, 0.5F, 0.01F}) {
    const Tensor x = there({first, 1});
    EXPECT_EQ(run(captured, x), run(plain, x)) << first;
  }
  const std::vector<inspect::CapturedPart> found = parts(captured);
  ASSERT_EQ(found.size(), 1U) << found[0].reason << "; " << found[1].reason;
  EXPECT_TRUE(found[0].is_native) << found[0].reason;
}

// Whatever the number of rounds: nothing is launched and nothing read by the host meanwhile.
TEST_F(CudaGraphLoopsTest, AReplayIsOneLaunch) {
  build();
  Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
  std::vector<Tensor> kept;
  const auto run_there = [&](float first) {
    kept.push_back(there({first, 1}));
    kept.push_back(executor.run(program_, {{"x", kept.back()}}, {Fetch(y_).at("cuda:0")})[0]);
  };
  for (int i = 0; i < 4; ++i) run_there(1);
  for (const float first : {1.0F, 99.0F}) {
    auto calls = DriverCalls::of([&] { run_there(first); });
    EXPECT_EQ(calls["cuGraphLaunch"], 1);
    EXPECT_EQ(calls["cuLaunchKernel"], 0);
    EXPECT_EQ(calls["cuStreamBeginCapture_v2"], 0);
  }
}

TEST_F(CudaGraphLoopsTest, ALoopWithALimitSplitsTheGraph) {
  build({.max_iterations = 50});
  Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
  for (int i = 0; i < 3; ++i) (void)run(executor, there({1, 1}));
  const std::vector<inspect::CapturedPart> found = parts(executor);
  ASSERT_GT(found.size(), 1U);
  EXPECT_EQ(found[1].reason, "the host counts its iterations, which are limited");
}

// Its library: the capturer says so when it records the first loop.
TEST_F(CudaGraphLoopsTest, WithoutTheDeviceRuntimeItSplitsTheGraph) {
  build();
  ::setenv("LOCI_CUDA_GRAPH_CUDADEVRT", "0", 1);
  {
    const Context context;
    const ContextGuard guard(context);
    Executor executor("cuda:0", options(GraphCapture::kAuto), Scope());
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(run(executor, there({99, 1})), ElementsAre(::testing::Gt(100), ::testing::Gt(2)));
    }
    const std::vector<inspect::CapturedPart> found = parts(executor);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_TRUE(found[0].is_native);
    EXPECT_THAT(found[1].reason, HasSubstr("there is no libcudadevrt.a; install the package"));
  }
  ::unsetenv("LOCI_CUDA_GRAPH_CUDADEVRT");
}

TEST_F(CudaGraphLoopsTest, WithoutTheDeviceRuntimeARequiredCaptureIsRefused) {
  build();
  ::setenv("LOCI_CUDA_GRAPH_CUDADEVRT", "0", 1);
  {
    const Context context;
    const ContextGuard guard(context);
    Executor executor("cuda:0", options(GraphCapture::kRequired), Scope());
    (void)run(executor, there({99, 1}));
    for (int i = 0; i < 2; ++i) {
      try {
        (void)run(executor, there({99, 1}));
        FAIL() << "it is captured";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("loops and branches cannot be captured"),
                          HasSubstr("there is no libcudadevrt.a; install the package"),
                          HasSubstr("GraphCapture::kAuto")));
      }
    }
  }
  ::unsetenv("LOCI_CUDA_GRAPH_CUDADEVRT");
}

TEST_F(CudaGraphLoopsTest, ItIsNoProblemOfARequiredCapture) {
  build();
  Executor executor("cuda:0", options(GraphCapture::kRequired), Scope());
  const Feed feed{{"x", there({1, 2})}};
  const std::vector<Fetch> fetch{Fetch(y_).at("cuda:0")};
  EXPECT_THAT(inspect::to_string(inspect::capture_problems(executor, program_, feed, fetch)), "");
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(executor.run(program_, feed, fetch)[0].to_vector<float>(),
                ElementsAre(::testing::Gt(0), ::testing::Gt(0)));
  }
  const auto told = inspect::capture(executor, program_, feed, fetch);
  ASSERT_EQ(told.parts.size(), 1U);
  EXPECT_TRUE(told.parts[0].is_native) << told.parts[0].reason;
}

}  // namespace
}  // namespace loci::test
