#include "framework/capture/launch_list.h"

#include <atomic>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LaunchListTest : public GraphTest {};
LOCI_GRAPH_PLACES(LaunchListTest);

TEST_P(LaunchListTest, A3_NothingRunsBeforeTheFirstReplay) {
  const Tensor x = vector({1, 2});
  const Tensor before = vector({5, 5});
  Graph graph(place());
  graph.capture_begin();
  before.copy_(x);
  before.add_(x);
  graph.capture_end();
  EXPECT_THAT(floats(before), ElementsAre(5, 5));
  graph.replay();
  EXPECT_THAT(floats(before), ElementsAre(2, 4));
}

TEST_P(LaunchListTest, D9_FunctionsInStreamsAreCalledByEachReplay) {
  std::atomic<int> calls{0};
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  Stream::current(place()).launch_host_function([&] { ++calls; });
  graph.capture_end();
  EXPECT_EQ(calls, 0);
  for (int i = 0; i < 3; ++i) graph.replay();
  synchronize(place());
  EXPECT_EQ(calls, 3);
}

// A label outside of the classes: the kernel says so when it runs.
TEST_P(LaunchListTest, AKernelThatFailsIsNamed) {
  const Tensor label = Tensor::from<std::int64_t>({0}, {1, 1});
  const Tensor there = label.to(place());
  const Tensor probabilities = full({1, 2}, 0.5, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  const Tensor loss = cross_entropy(probabilities, there);
  graph.capture_end();
  graph.replay();
  EXPECT_NO_THROW((void)floats(loss));
  there.copy_(Tensor::from<std::int64_t>({7}, {1, 1}));
  graph.replay();
  EXPECT_THAT([&] { (void)floats(loss); }, ThrowsMessage<Error>(HasSubstr("cross_entropy")));
  there.copy_(Tensor::from<std::int64_t>({0}, {1, 1}));
  graph.replay();
  EXPECT_NO_THROW((void)floats(loss)) << "the next replay starts anew";
}

TEST_P(LaunchListTest, AProfileNamesItsOperators) {
  const Tensor x = vector({1, 2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = relu(x + x);
  graph.capture_end();
  graph.replay();
  (void)floats(y);
  testing::internal::CaptureStdout();
  {
    const Profiler profiler(ProfilerOptions().state("all").reporter("classic"));
    for (int i = 0; i < 3; ++i) graph.replay();
    (void)floats(y);
  }
  const std::string report = testing::internal::GetCapturedStdout();
  EXPECT_THAT(report, AllOf(HasSubstr("relu"), HasSubstr("elementwise_add")));
}

}  // namespace
}  // namespace loci::capture
