#include "framework/capture/thread_captures.h"

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

}  // namespace
}  // namespace loci::capture
