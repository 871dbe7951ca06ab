// Graphs of cuda:0 as applications have them, imperative and of programs: launches of the driver's.
#include <cuda.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/support/cuda_double.h"
#include "tests/support/scratch_directory.h"

namespace loci::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class CudaGraphTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { use_cuda_double("checks=all,seed=5"); }
  static Tensor there(const std::vector<float>& elements) {
    return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())}).to("cuda:0");
  }
  static std::vector<float> floats(const Tensor& tensor) { return tensor.to_vector<float>(); }
  // How many items each segment has, negative for those of the host's list.
  static std::vector<int> segments(const Graph& graph) {
    std::vector<int> sizes;
    for (const GraphSegment& segment : graph.stats().segments) {
      EXPECT_TRUE(segment.is_native || !segment.reason.empty());
      sizes.push_back(static_cast<int>(segment.items) * (segment.is_native ? 1 : -1));
    }
    return sizes;
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

TEST_F(CudaGraphTest, AChainIsOneLaunchInEachMode) {
  for (const CaptureMode mode :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    const Tensor x = there({1, -2, 3});
    Graph graph("cuda:0", mode);
    graph.capture_begin();
    const Tensor y = relu(x + x);
    const Tensor z = sqrt(y * y);
    graph.capture_end();
    EXPECT_THAT(segments(graph), ElementsAre(4));
    EXPECT_EQ(graph.stats().segments[0].nodes, 4U);
    EXPECT_GT(graph.stats().segments[0].bytes, 0U);
    for (const float first : {1.0F, 5.0F}) {
      x.copy_(there({first, -2, 3}));
      graph.replay();
      EXPECT_THAT(floats(z), ElementsAre(2 * first, 0, 6));
    }
  }
}

// Whatever the mode of the capture, the driver holds the thread to its own again afterwards, and
// refuses neither waits nor memory.
TEST_F(CudaGraphTest, B5_TheModeOfTheThreadIsAsBefore) {
  const Tensor x = there({2});  // begins the driver
  const char* named = std::getenv("LOCI_CUDA_DRIVER");
  const bool is_named = named != nullptr && *named != '\0';
  void* driver = ::dlopen(is_named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(driver, nullptr) << ::dlerror();
  const auto exchange = reinterpret_cast<decltype(&::cuThreadExchangeStreamCaptureMode)>(
      ::dlsym(driver, "cuThreadExchangeStreamCaptureMode"));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  ASSERT_EQ(exchange(&mode), CUDA_SUCCESS);
  for (const CaptureMode each :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Graph graph("cuda:0", each);
    graph.capture_begin();
    const Tensor y = x + x;
    graph.capture_end();
    EXPECT_THAT(segments(graph), ElementsAre(1));
    mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    ASSERT_EQ(exchange(&mode), CUDA_SUCCESS);
    EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    synchronize("cuda:0");
    EXPECT_THAT(floats(x), ElementsAre(2));
  }
  mode = CU_STREAM_CAPTURE_MODE_GLOBAL;  // as threads begin
  ASSERT_EQ(exchange(&mode), CUDA_SUCCESS);
}

// Blocks that have more shared memory than there is without asking, and leave results in memory
// that a second kernel adds up.
TEST_F(CudaGraphTest, AttentionIsReplayedWithItsWorkspace) {
  const auto numbers = [](std::int64_t length, int factor) {
    std::vector<float> elements(static_cast<std::size_t>(length * 80));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = static_cast<float>(static_cast<int>(i) * factor % 101) / 50 - 1;
    }
    return Tensor::from<float>(elements, {1, length, 80}).to("cuda:0");
  };
  const Tensor query = numbers(1, 7);
  const Tensor keys = numbers(1100, 31);
  const Tensor values = numbers(1100, 43);
  Graph graph("cuda:0");
  graph.capture_begin();
  const Tensor out = attention(query, keys, values);
  graph.capture_end();
  for (const int factor : {11, 13}) {
    query.copy_(numbers(1, factor));
    graph.replay();
    EXPECT_EQ(floats(out), floats(attention(query, keys, values))) << factor;
  }
  EXPECT_EQ(graph.stats().segments[0].nodes, 2U);
}

// Two streams of the host that fork and join become one graph.
TEST_F(CudaGraphTest, ForkedStreamsAreOneGraph) {
  const Tensor x = there({3});
  const Stream side("cuda:0");
  Event forked;
  Event joined;
  Graph graph("cuda:0");
  graph.capture_begin();
  const Tensor doubled = x + x;
  forked.record(Stream::current("cuda:0"));
  Tensor squared;
  {
    const StreamGuard guard(side);
    forked.wait(side);
    squared = doubled * doubled;
    joined.record(side);
  }
  const Tensor more = doubled + x;
  joined.wait(Stream::current("cuda:0"));
  const Tensor sum = squared + more;
  graph.capture_end();
  EXPECT_THAT(segments(graph), ElementsAre(4));
  for (int i = 0; i < 3; ++i) graph.replay();
  EXPECT_THAT(floats(sum), ElementsAre(45));
}

TEST_F(CudaGraphTest, FunctionsOfTheHostSplitIt) {
  std::atomic<int> calls{0};
  const Tensor x = there({1});
  Graph graph("cuda:0");
  graph.capture_begin();
  const Tensor y = x + x;
  Stream::current("cuda:0").launch_host_function([&calls] { ++calls; });
  const Tensor z = y * y;
  graph.capture_end();
  EXPECT_THAT(segments(graph), ElementsAre(1, -1, 1));
  for (int i = 0; i < 2; ++i) graph.replay();
  EXPECT_THAT(floats(z), ElementsAre(4));
  synchronize("cuda:0");
  EXPECT_EQ(calls, 2);
}

TEST_F(CudaGraphTest, ItsDumpHasTheKernelOfEachOp) {
  const ScratchDirectory scratch;
  const Tensor x = there({1, 2});
  const Tensor kept = there({0, 0});
  Graph graph("cuda:0");
  graph.capture_begin();
  const Tensor y = relu(x);
  kept.copy_(y);
  graph.capture_end();
  graph.print_to_dot_files(scratch.path("graph"));
  EXPECT_THAT(scratch.read("graph.segments.txt"),
              MatchesRegex("segment 0: 2 items by a graph of the device's\n"
                           "0 relu, item 0: kernel relu_f32, grid 1x1x1, block [0-9]+x1x1\n"
                           "1 copy, item 1: copy of 8 bytes\n"));
}

// y = relu(x + x) * x over variables of a scope.
struct Chain {
  Chain() {
    const ProgramGuard building(main, startup);
    Variable x = data("x", {2}, kFloat32);
    x.set_persistable(true);
    Variable y = relu(x + x) * x;
    y.rename("y");
    y.set_persistable(true);
  }
  Program main;
  Program startup;
};

TEST_F(CudaGraphTest, AProgramFollowsItsVariables) {
  const Chain model;
  const Scope scope;
  Executor executor("cuda:0", CompileOptions::exact(), scope);
  scope.set("x", Tensor::from<float>({0, 0}, {2}));
  executor.run(model.main);
  Graph graph("cuda:0");
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  EXPECT_THAT(segments(graph), ElementsAre(::testing::Gt(0)));
  std::vector<Tensor> kept;  // so that each batch has an address of its own
  for (int i = 1; i <= 4; ++i) {
    const auto value = static_cast<float>(i);
    kept.push_back(scope.find("x"));
    scope.erase("x");
    scope.set("x", there({value, -value}));
    graph.replay();
    EXPECT_THAT(floats(scope.find("y")), ElementsAre(2 * value * value, 0));
  }
  EXPECT_GT(graph.stats().patches, 0U);
  EXPECT_EQ(graph.stats().recaptures, 0U);
}

// Programs that capture their own launches, fed and fetched anew each time.
TEST_F(CudaGraphTest, AnExecutorCapturesByItself) {
  const Program program;
  Variable y;
  {
    const ProgramGuard building(program);
    const Variable x = data("x", {3}, kFloat32);
    y = exp(softmax(relu(x + x))) * x;  // three launches: softmax is not fused
  }
  CompileOptions plain = CompileOptions::exact();
  CompileOptions captured = plain;
  captured.capture = GraphCapture::kAuto;
  Executor as_captured("cuda:0", captured, Scope());
  Executor as_plain("cuda:0", plain, Scope());
  Feed feed;
  for (int step = 0; step < 6; ++step) {
    const Tensor x = Tensor::from<float>({static_cast<float>(step), -1, 0.5F}, {3});
    feed = {{"x", x}};
    EXPECT_EQ(floats(as_captured.run(program, feed, {y})[0]),
              floats(as_plain.run(program, feed, {y})[0]));
  }
  const auto told = inspect::capture(as_captured, program, feed, {y});
  EXPECT_GT(told.replays, 0U) << told.to_string();
}

}  // namespace
}  // namespace loci::test
