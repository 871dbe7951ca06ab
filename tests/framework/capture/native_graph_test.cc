#include "framework/capture/native_graph.h"

#include <atomic>

#include "framework/transfer/transfer.h"
#include "tests/framework/capture/native_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::vector<float> floats(const Tensor& tensor) { return tensor.to_vector<float>(); }

TEST(NativeGraphTest, IsOneLaunchWhereTheDeviceCanRecordAll) {
  in_native_context({}, [] {
    const Tensor x = on_sim({1, -2});
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = relu(x + x);
    const Tensor z = y * y;
    graph.capture_end();
    const GraphStats stats = graph.stats();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(3));
    EXPECT_EQ(stats.segments[0].nodes, 3U);
    EXPECT_GT(stats.segments[0].bytes, 0U);
    EXPECT_EQ(stats.segments[0].reason, "");
    for (const float factor : {1.0F, 2.0F}) {
      x.copy_(on_sim({factor, -2}));
      graph.replay();
      EXPECT_THAT(floats(z), ElementsAre(4 * factor * factor, 0));
    }
  });
}

TEST(NativeGraphTest, FunctionsOfTheHostSplitIt) {
  in_native_context({}, [] {
    std::atomic<int> calls{0};
    const Tensor x = on_sim({1});
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = x + x;
    Stream::current("sim:0").launch_host_function([&calls] { ++calls; });
    const Tensor z = relu(y * y);
    graph.capture_end();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(1, -1, 2));
    EXPECT_EQ(graph.stats().segments[1].reason, "it is a function of the host's");
    for (int i = 0; i < 2; ++i) graph.replay();
    EXPECT_THAT(floats(z), ElementsAre(4));
    synchronize("sim:0");
    EXPECT_EQ(calls, 2);
  });
}

TEST(NativeGraphTest, CopiesOfPageableMemorySplitIt) {
  in_native_context({}, [] {
    const Tensor host = Tensor::from<float>({3}, {1});
    const Tensor there = on_sim({0});
    Graph graph("sim:0");
    graph.capture_begin();
    there.copy_(host);
    const Tensor y = there + there;
    graph.capture_end();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(-1, 1));
    EXPECT_THAT(graph.stats().segments[0].reason, HasSubstr("is not pinned"));
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(6));
    host.fill_(4);
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(8));
  });
}

TEST(NativeGraphTest, OneThatMayNotBeSplitIsRefusedAndLeavesNothing) {
  in_native_context({}, [] {
    const Tensor x = on_sim({1});
    GraphOptions whole;
    whole.splitting = GraphSplitting::kRefused;
    Graph graph("sim:0", whole);
    graph.capture_begin();
    const Tensor y = x + x;
    Stream::current("sim:0").launch_host_function([] {});
    EXPECT_THAT([&] { graph.capture_end(); },
                ThrowsMessage<Error>(AllOf(
                    StartsWith("[capture] host function in stream 0 of graph "),
                    HasSubstr(" at sim:0 cannot be part of a device graph: it is a function of the "
                              "host's; leave it out of the capture, or allow the graph to be split "
                              "(GraphOptions::splitting)"))));
    EXPECT_FALSE(graph.is_captured());
    EXPECT_THAT([&] { (void)floats(y); }, ThrowsMessage<Error>(HasSubstr("was given up")));
    graph.capture_begin();
    const Tensor z = x + x;
    graph.capture_end();
    graph.replay();
    EXPECT_THAT(floats(z), ElementsAre(2));
  });
}

// Without a capturer nothing is split, whatever is in it.
TEST(NativeGraphTest, ALaunchListIsNoSplitGraph) {
  GraphOptions whole;
  whole.splitting = GraphSplitting::kRefused;
  const auto capture_function = [&whole](const std::string& place) {
    Graph graph(place, whole);
    graph.capture_begin();
    Stream::current(place).launch_host_function([] {});
    graph.capture_end();
    return graph.stats().segments.front().reason;
  };
  in_native_context(
      {},
      [&] {
        EXPECT_THAT(capture_function("sim:0"), AllOf(StartsWith("there is no capturer for sim: "),
                                                     HasSubstr("org.loci.sim_graph is disabled")));
      },
      WithCapturer::kNo);
  in_native_context({{"SIM", "graphs=0"}}, [&] {
    EXPECT_EQ(capture_function("sim:0"),
              "org.loci.sim_graph declines sim:0: [sim_graph] sim:0 offers no graphs "
              "(sim.graphs); leave its setting graphs at 1");
    EXPECT_THAT(capture_function("cpu"), HasSubstr("cpu does its work at once"));
  });
}

class NativeFailureTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Settings, NativeFailureTest,
                         ::testing::Values("FAIL_END", "FAIL_INSTANTIATE"));

TEST_P(NativeFailureTest, ASegmentThatFailsIsLaunchedByTheHost) {
  in_native_context({{std::string("SIM_GRAPH_") + GetParam(), "1"}}, [] {
    const Tensor x = on_sim({2});
    for (const bool fails : {true, false}) {
      Graph graph("sim:0");
      graph.capture_begin();
      const Tensor y = x + x;
      testing::internal::CaptureStderr();
      graph.capture_end();
      const std::string log = testing::internal::GetCapturedStderr();
      const GraphSegment segment = graph.stats().segments.front();
      EXPECT_EQ(segment.is_native, !fails);
      if (fails) {
        EXPECT_THAT(segment.reason, AllOf(HasSubstr("org.loci.sim_graph failed: "),
                                          HasSubstr("as the settings of the plugin ask for")));
        EXPECT_THAT(log, HasSubstr("are launched one by one: org.loci.sim_graph failed"));
      }
      graph.replay();
      EXPECT_THAT(floats(y), ElementsAre(4));
    }
  });
}

// The stream of the capturer is usable after a launch that failed while it recorded.
TEST(NativeGraphTest, ALaunchThatCannotBeRecordedGivesItsSegmentUp) {
  in_native_context({{"SIM", "fail_launch=1"}}, [] {
    const Tensor x = on_sim({2});
    for (const bool fails : {true, false}) {
      Graph graph("sim:0");
      graph.capture_begin();
      const Tensor y = x + x;
      graph.capture_end();
      EXPECT_EQ(graph.stats().segments.front().is_native, !fails);
      graph.replay();
      EXPECT_THAT(floats(y), ElementsAre(4));
    }
  });
}

TEST(NativeGraphTest, AReplayThatCannotBeLaunchedFailsItsOutputsAlone) {
  in_native_context({{"SIM_GRAPH_FAIL_LAUNCH", "2"}}, [] {
    const Tensor x = on_sim({2});
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = x + x;
    graph.capture_end();
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(4));
    graph.replay();
    EXPECT_THAT([&] { (void)floats(y); },
                ThrowsMessage<Error>(AllOf(HasSubstr("launching a graph"), HasSubstr("sim:0"))));
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(4));
  });
}

TEST(NativeGraphTest, ATaskThatFailsIsNamed) {
  in_native_context({}, [] {
    const Tensor x = on_sim({2});
    const Tensor label = Tensor::from<std::int64_t>({0}, {1, 1}).to(Place("sim:0"));
    const Tensor probabilities = full({1, 2}, 0.5, kFloat32).to(Place("sim:0"));
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = x + x;
    const Tensor loss = cross_entropy(probabilities, label);
    graph.capture_end();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(2));
    label.copy_(Tensor::from<std::int64_t>({7}, {1, 1}));
    graph.replay();
    EXPECT_THAT([&] { (void)floats(loss); }, ThrowsMessage<Error>(HasSubstr("cross_entropy")));
  });
}

// B5: no thread is left in another state, and none is needed for it.
TEST(NativeGraphTest, B5_TheCapturingThreadMayWaitAfterwards) {
  in_native_context({}, [] {
    const Tensor x = on_sim({2});
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = x + x;
    graph.capture_end();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(1));
    synchronize("sim:0");
    Event event;
    event.record(Stream::current("sim:0"));
    event.synchronize();
    EXPECT_THAT(floats(x), ElementsAre(2));
  });
}

// C8: two replays in two streams run one after the other.
TEST(NativeGraphTest, C8_ReplaysInTwoStreamsTakeTurns) {
  in_native_context({{"SIM", "race=1,delay_us=20"}}, [] {
    const Tensor x = on_sim({1});
    Graph graph("sim:0");
    graph.capture_begin();
    for (int i = 0; i < 4; ++i) x.add_(x);
    graph.capture_end();
    const Stream one("sim:0");
    const Stream two("sim:0");
    for (int i = 0; i < 2; ++i) {
      graph.replay(one);
      graph.replay(two);
    }
    EXPECT_THAT(floats(x), ElementsAre(65536));
  });
}

// D10, with a graph of the device's.
TEST(NativeGraphTest, D10_EndsWhileAReplayIsUnderWay) {
  in_native_context({{"SIM", "delay_us=2000"}}, [] {
    const Tensor x = on_sim({1});
    Tensor y;
    {
      Graph graph("sim:0");
      graph.capture_begin();
      y = x + x;
      graph.capture_end();
      graph.replay();
    }
    EXPECT_THAT(floats(y), ElementsAre(2));
  });
}

TEST(NativeGraphTest, CopiesWithinThePlaceAreCounted) {
  in_native_context({}, [] {
    const Tensor x = on_sim({1, 2});
    const Tensor y = on_sim({0, 0});
    Graph graph("sim:0");
    graph.capture_begin();
    y.copy_(x);
    graph.capture_end();
    EXPECT_THAT(segment_sizes(graph), ElementsAre(1));
    const transfer::Totals before = transfer::totals();
    graph.replay();
    synchronize("sim:0");
    const transfer::Totals after = transfer::totals();
    EXPECT_EQ(after.local_copies, before.local_copies + 1);
    EXPECT_EQ(after.local_bytes, before.local_bytes + 8);
    EXPECT_THAT(floats(y), ElementsAre(1, 2));
  });
}

TEST(NativeGraphTest, ItsDumpHasTheNodesOfTheDevice) {
  in_native_context({}, [] {
    const test::ScratchDirectory scratch;
    const Tensor x = on_sim({1});
    Graph graph("sim:0");
    graph.capture_begin();
    const Tensor y = relu(x);
    Stream::current("sim:0").launch_host_function([] {});
    graph.capture_end();
    graph.print_to_dot_files(scratch.path("graph"));
    EXPECT_EQ(scratch.read("graph.segments.txt"),
              "segment 0: 1 items by a graph of the device's\n"
              "0 relu, item 0\n"
              "segment 1: 1 items by the host: it is a function of the host's\n");
  });
}

}  // namespace
}  // namespace loci::capture
