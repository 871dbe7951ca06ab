#include "framework/profiler/call_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::node_of;
using profiler_test::paths_of;
using profiler_test::thread_node_of;
using test_support::RecordingBuilder;
using ::testing::ElementsAre;

// The spans' begins, by time, of a node.
std::vector<std::uint64_t> begins_of(const loci_profile& profile, const loci_profile_node& node,
                                     const std::uint32_t* spans) {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t i = 0; i < node.calls + node.parts; ++i) {
    begins.push_back(profile.spans[spans[node.first_span + i]].begin_ns);
  }
  return begins;
}

TEST(CallTreeTest, SpansAreSummedByPath) {
  const Profile profile(RecordingBuilder()
                            .op("mul", "mul_0", 0, 10)
                            .phase("compute", 2, 9)
                            .op("mul", "mul_1", 10, 14)
                            .op("mul", "mul_0", 20, 40)
                            .phase("compute", 21, 36)
                            .build());
  EXPECT_THAT(paths_of(profile.abi()), ElementsAre("mul_0", "mul_0/compute", "mul_1"));
  const loci_profile_node& mul = node_of(profile.abi(), "mul_0");
  EXPECT_EQ(mul.calls, 2U);
  EXPECT_EQ(mul.total_ns, 30U);
  EXPECT_EQ(mul.self_ns, 8U);
  EXPECT_EQ(mul.min_ns, 10U);
  EXPECT_EQ(mul.max_ns, 20U);
  EXPECT_EQ(mul.descendants, 1U);
  EXPECT_EQ(mul.parent, LOCI_PROFILE_NONE);
  EXPECT_EQ(mul.thread, LOCI_PROFILE_NONE);
  const loci_profile_node& compute = node_of(profile.abi(), "mul_0/compute");
  EXPECT_EQ(compute.total_ns, 22U);
  EXPECT_EQ(compute.depth, 1U);
  EXPECT_EQ(compute.parent, 0U);
}

TEST(CallTreeTest, PreorderThoughChildrenComeLate) {
  const Profile profile(RecordingBuilder()
                            .run("step", 0, 10)
                            .op("a", "", 1, 2)
                            .framework("fetch", 10, 12)
                            .run("step", 20, 30)
                            .op("b", "", 21, 22)
                            .build());
  EXPECT_THAT(paths_of(profile.abi()), ElementsAre("step", "step/a", "step/b", "fetch"));
  EXPECT_EQ(profile.abi().nodes[0].descendants, 2U);
}

TEST(CallTreeTest, ShapesOfOneOperatorShareItsNode) {
  Label small{LOCI_SPAN_OP, "mul", "mul_0"};
  small.flops = 100;
  small.bytes = 10;
  Label large = small;
  large.detail = "larger";
  large.flops = 1000;
  large.bytes = 20;
  const Profile profile(RecordingBuilder().span(small, 0, 1).span(large, 1, 3).build());
  ASSERT_EQ(profile.abi().node_count, 1U);
  EXPECT_EQ(profile.abi().nodes[0].flops, 1100U);
  EXPECT_EQ(profile.abi().nodes[0].bytes, 30U);
  EXPECT_EQ(profile.abi().nodes[0].label, 0U);
}

TEST(CallTreeTest, SpansOfANodeAreListedByTime) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 1)
                            .op("b", "", 1, 2)
                            .op("a", "", 2, 3)
                            .op("b", "", 3, 4)
                            .op("a", "", 4, 5)
                            .build());
  const loci_profile& abi = profile.abi();
  EXPECT_THAT(begins_of(abi, node_of(abi, "a"), abi.node_spans), ElementsAre(0, 2, 4));
  EXPECT_THAT(begins_of(abi, node_of(abi, "b"), abi.node_spans), ElementsAre(1, 3));
}

RecordingBuilder two_threads() {
  RecordingBuilder builder;
  builder.op("a", "", 10, 30).phase("compute", 12, 20).op("only_main", "", 40, 50);
  builder.thread("worker").op("a", "", 5, 45).op("only_worker", "", 50, 60).op("a", "", 70, 75);
  return builder;
}

TEST(CallTreeTest, MergedTreeSumsThreads) {
  const Profile profile(two_threads().build());
  const loci_profile& abi = profile.abi();
  EXPECT_THAT(paths_of(abi), ElementsAre("a", "a/compute", "only_main", "only_worker"));
  const loci_profile_node& a = node_of(abi, "a");
  EXPECT_EQ(a.calls, 3U);
  EXPECT_EQ(a.total_ns, 65U);
  EXPECT_EQ(a.self_ns, 57U);
  EXPECT_EQ(a.min_ns, 5U);
  EXPECT_EQ(a.max_ns, 40U);
  EXPECT_THAT(begins_of(abi, a, abi.node_spans), ElementsAre(5, 10, 70));
}

TEST(CallTreeTest, PartsCountForTimesAlone) {
  RecordingBuilder builder;
  builder.op("a", "", 10, 12).flags(LOCI_SPAN_PART).op("b", "", 20, 25).flags(LOCI_SPAN_PART);
  builder.thread("worker").op("a", "", 15, 45);
  builder.thread("copier").op("a", "", 11, 14).flags(LOCI_SPAN_PART).copy({"x"}, 12, 13);
  const Profile profile(builder.build());
  const loci_profile& abi = profile.abi();
  const loci_profile_node& a = node_of(abi, "a");
  EXPECT_EQ(a.calls, 1U);
  EXPECT_EQ(a.parts, 2U);
  EXPECT_EQ(a.total_ns, 35U);
  EXPECT_EQ(a.self_ns, 34U);
  EXPECT_EQ(a.min_ns, 30U);
  EXPECT_EQ(a.max_ns, 30U);
  EXPECT_THAT(begins_of(abi, a, abi.node_spans), ElementsAre(10, 11, 15));
  const loci_profile_node& b = node_of(abi, "b");
  EXPECT_EQ(b.calls, 0U);
  EXPECT_EQ(b.min_ns, 0U) << "there is no call";
  EXPECT_EQ(b.total_ns, 5U);
}

TEST(CallTreeTest, EachThreadHasItsTree) {
  const Profile profile(two_threads().build());
  const loci_profile& abi = profile.abi();
  ASSERT_EQ(abi.thread_node_count, 5U);
  EXPECT_EQ(thread_node_of(abi, 0, "a").calls, 1U);
  const loci_profile_node& worker = thread_node_of(abi, 1, "a");
  EXPECT_EQ(worker.calls, 2U);
  EXPECT_EQ(worker.total_ns, 45U);
  EXPECT_THAT(begins_of(abi, worker, abi.thread_node_spans), ElementsAre(5, 70));
}

TEST(CallTreeTest, SpansKnowTheirMergedNode) {
  const Profile profile(two_threads().build());
  const loci_profile& abi = profile.abi();
  for (std::size_t i = 0; i < abi.span_count; ++i) {
    const loci_profile_node& node = abi.nodes[abi.spans[i].node];
    EXPECT_EQ(profiler_test::name_of(abi, node.label),
              profiler_test::name_of(abi, abi.spans[i].label));
  }
}

TEST(CallTreeTest, FirstOrderIsByTheEndOfTheFirstCall) {
  const Profile profile(two_threads().build());
  const loci_profile& abi = profile.abi();
  EXPECT_EQ(node_of(abi, "a/compute").first_order, 0U);
  EXPECT_EQ(node_of(abi, "a").first_order, 1U);
  EXPECT_EQ(node_of(abi, "only_main").first_order, 2U);
  EXPECT_EQ(node_of(abi, "only_worker").first_order, 3U);
  EXPECT_EQ(thread_node_of(abi, 1, "a").first_order, 0U);
  EXPECT_EQ(thread_node_of(abi, 1, "only_worker").first_order, 1U);
}

// A child that ends with its parent has ended first, as when scopes are closed.
TEST(CallTreeTest, InnerOneOfEqualEndsCameFirst) {
  const Profile profile(RecordingBuilder().op("a", "", 0, 9).phase("compute", 5, 9).build());
  EXPECT_EQ(node_of(profile.abi(), "a/compute").first_order, 0U);
  EXPECT_EQ(node_of(profile.abi(), "a").first_order, 1U);
}

TEST(CallTreeTest, LabelOfTheFirstCallIsTheNodesLabel) {
  Label early{LOCI_SPAN_OP, "a"};
  early.detail = "early";
  Label late = early;
  late.detail = "late";
  const Profile profile(
      RecordingBuilder().span(late, 50, 60).thread("worker").span(early, 10, 20).build());
  const loci_profile& abi = profile.abi();
  ASSERT_EQ(abi.node_count, 1U);
  EXPECT_EQ(to_view(abi.labels[abi.nodes[0].label].detail), "early");
}

TEST(CallTreeTest, RecursionMakesAPath) {
  const Profile profile(RecordingBuilder().user("f", 0, 9).user("f", 1, 8).user("f", 2, 7).build());
  EXPECT_THAT(paths_of(profile.abi()), ElementsAre("f", "f/f", "f/f/f"));
}

}  // namespace
}  // namespace loci::profiler
