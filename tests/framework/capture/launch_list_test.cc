#include "framework/capture/launch_list.h"

#include <unistd.h>

#include <atomic>
#include <loci/profiler.hpp>

#include "framework/profiler/collector.h"
#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/framework/capture/graph_fixture.h"
#include "tests/support/scratch_directory.h"

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

// To wake another thread takes longer than hundred additions of a number.
TEST_P(LaunchListTest, LittleWorkIsDoneByTheThreadThatReplays) {
  if (!place().is_host()) GTEST_SKIP() << "a device does it";
  const auto is_done_here = [&](int ops, std::int64_t elements) {
    Tensor y = ones({elements}, kFloat32, place());
    const Tensor x = y;
    Graph graph(place());
    graph.capture_begin();
    for (int i = 0; i < ops; ++i) y = y + x;
    graph.capture_end();
    graph.replay();
    synchronize();
    profiler::Collector::instance().begin({.level = profiler::Level::kOp});
    graph.replay();
    synchronize();
    const profiler::Harvest harvest = profiler::Collector::instance().end();
    for (const profiler::ThreadRecords& thread : harvest.threads) {
      if (thread.os_id != static_cast<std::uint64_t>(gettid())) continue;
      return thread.records.size() > static_cast<std::size_t>(ops);
    }
    return false;
  };
  EXPECT_TRUE(is_done_here(100, 1));
  EXPECT_TRUE(is_done_here(16, 1024));
  EXPECT_FALSE(is_done_here(100, 1024));
  EXPECT_FALSE(is_done_here(1000, 1));
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

// One by one or as a graph of the device's: the same is told.
TEST_P(LaunchListTest, AProfileHasEachReplayWithItsOperators) {
  const Tensor x = vector({1, 2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = relu(x + x);
  graph.capture_end();
  for (int i = 0; i < 4; ++i) graph.replay();
  (void)floats(y);
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path("replays.profile");
  Profiler profiler(ProfilerOptions().no_reporter().profile_path(path));
  for (int i = 0; i < 2; ++i) graph.replay();
  (void)floats(y);
  EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
  const profiler::Profile profile(profiler::read_profile(path));
  const loci_profile& told = profile.abi();
  const auto text = [](const loci_str& str) { return std::string(str.data, str.size); };
  std::vector<std::string> replays;
  std::vector<std::string> operators;  // within these
  for (std::uint64_t i = 0; i < told.span_count; ++i) {
    const loci_profile_span& span = told.spans[i];
    const loci_profile_label& label = told.labels[span.label];
    if (text(label.name) == "replay_graph") replays.push_back(text(label.detail));
    if (label.kind != LOCI_SPAN_OP) continue;
    ASSERT_NE(span.parent, LOCI_PROFILE_NONE) << text(label.name);
    EXPECT_EQ(text(told.labels[told.spans[span.parent].label].name), "replay_graph");
    operators.push_back(text(label.name));
  }
  EXPECT_THAT(replays,
              ElementsAre(::testing::EndsWith(", replay 5"), ::testing::EndsWith(", replay 6")));
  EXPECT_THAT(operators, ElementsAre("elementwise_add", "relu", "elementwise_add", "relu"));
  for (std::uint64_t i = 0; i < told.device_span_count; ++i) {
    const loci_profile_device_span& work = told.device_spans[i];
    if (work.graph == 0) continue;
    EXPECT_THAT(replays, ::testing::Contains("graph " + std::to_string(work.graph) + ", replay " +
                                             std::to_string(work.replay)));
  }
}

}  // namespace
}  // namespace loci::capture
