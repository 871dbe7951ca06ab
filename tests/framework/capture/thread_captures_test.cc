#include "framework/capture/thread_captures.h"

#include <atomic>
#include <thread>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ThreadCapturesTest : public GraphTest {};
LOCI_GRAPH_PLACES(ThreadCapturesTest);

TEST_P(ThreadCapturesTest, A4_EndsOnItsThread) {
  for (const CaptureMode mode : {CaptureMode::kGlobal, CaptureMode::kThreadLocal}) {
    Graph graph(place(), mode);
    graph.capture_begin();
    std::thread([&] {
      EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("another thread")));
    }).join();
    graph.abort();
  }
  const Tensor x = vector({3});
  Graph relaxed(place(), CaptureMode::kRelaxed);
  relaxed.capture_begin();
  const Tensor y = x + x;
  std::thread([&] { relaxed.capture_end(); }).join();
  relaxed.replay();
  EXPECT_THAT(floats(y), ElementsAre(6));
  EXPECT_THAT(floats(x * x), ElementsAre(9)) << "the thread computes as before";
}

TEST_P(ThreadCapturesTest, TwoAreCapturedAtOnce) {
  std::vector<std::thread> threads;
  std::vector<float> results(4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      const Tensor x = vector({static_cast<float>(i)});
      for (int round = 0; round < 20; ++round) {
        Graph graph(place());
        graph.capture_begin();
        Tensor y = x + x;
        y = y * y;
        graph.capture_end();
        graph.replay();
        results[i] = floats(y).front();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ElementsAre(0, 4, 16, 36));
}

// A thread sanitizer shall see these together: each thread does its own for as long as the captures
// take.
TEST_P(ThreadCapturesTest, ARunAnAllocationAndTwoCapturesAtOnce) {
  constexpr int kRounds = 25;
  std::atomic<int> captures{0};
  const auto capture = [&](float value) {
    const Tensor x = vector({value});
    for (int round = 0; round < kRounds; ++round) {
      Graph graph(place());
      graph.capture_begin();
      const Tensor y = (x + x) * (x + x);
      graph.capture_end();
      graph.replay();
      EXPECT_EQ(floats(y).front(), 4 * value * value);
    }
    ++captures;
  };
  const auto run = [&] {
    const Program program;
    const ProgramGuard building(program);
    const Variable x = data("x", {-1}, kFloat32);
    const Variable y = relu(x) * x;
    Executor executor(place());
    while (captures < 2) {
      const std::vector<Tensor> fetched =
          executor.run(program, {{"x", Tensor::from<float>({-2, 3}, {2})}}, {y});
      EXPECT_THAT(floats(fetched.front()), ElementsAre(0, 9));
    }
  };
  const auto allocate = [&] {
    for (std::int64_t i = 1; captures < 2; i = i % 64 + 1) {
      const Tensor x = full({i * 512}, static_cast<double>(i), kFloat32).to(place());
      EXPECT_EQ(floats(x + x).back(), 2 * static_cast<float>(i));
      empty_cache(place());
    }
  };
  std::thread running(run);
  std::thread allocating(allocate);
  std::thread capturing(capture, 2.0F);
  capture(3.0F);
  for (std::thread* thread : {&running, &allocating, &capturing}) thread->join();
}

}  // namespace
}  // namespace loci::capture
