// Loops and branches of graphs, recorded by the C table: copies alone move conditions and values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/plugins/cuda_graph/control_rig.h"
#include "tests/support/scratch_directory.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CudaGraphRecordedControlTest, GoesOnAsLongAsItsConditionHolds) {
  ControlRig rig;
  loci_graph* graph = rig.record_steps();
  EXPECT_EQ(rig.dump(graph),
            "0 while, item 1: kernel loci_set_condition, grid 1x1x1, block 1x1x1\n"
            "1 while, item 1: loop of 4 nodes\n");
  loci_graph_exec* exec = rig.instantiate(graph);
  for (int rounds = 0; rounds <= 3; ++rounds) {
    for (int i = 0; i < 4; ++i) {
      rig.set(i, 3 - i < rounds ? 1 : static_cast<std::uint64_t>(256 * (i + 1)));
    }
    rig.launch(exec);
    EXPECT_EQ(rig.value_of(3), 256U * static_cast<unsigned>(4 - rounds)) << rounds << " rounds";
  }
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphRecordedControlTest, WhatFollowsItWaitsForIt) {
  ControlRig rig;
  rig.begin_loop();
  rig.copy_in_body(2, 3);
  rig.end_loop();
  rig.announce("copy", 2);
  rig.copy(3, 0);
  loci_graph* graph = rig.end();
  loci_graph_exec* exec = rig.instantiate(graph);
  rig.set(3, 1);
  rig.set(2, 512);
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(0), 512U);
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphRecordedControlTest, IsNeitherPatchedNorUpdated) {
  ControlRig rig;
  loci_graph* graph = rig.record_steps();
  loci_graph_exec* exec = rig.instantiate(graph);
  EXPECT_THAT([&] { rig.check(rig.api().patch(exec, 1, 0, rig.address(2))); },
              ThrowsMessage<PluginError>(HasSubstr("an argument of while, item 1 is not known")));
  EXPECT_THAT([&] { rig.check(rig.api().update(exec, graph)); },
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: the executable cannot be updated: "
                                         "it has a loop or a branch, or would have one"));
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphRecordedControlTest, ABranchDoesOneOfItsParts) {
  ControlRig rig;
  loci_graph* graph = rig.record_choice();
  EXPECT_EQ(rig.dump(graph),
            "0 case, item 1: kernel loci_set_condition, grid 1x1x1, block 1x1x1\n"
            "1 case, item 1: branch of 2 or 1 nodes\n");
  rig.expect_choice(graph);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphRecordedControlTest, IsDrawnWithBothParts) {
  const test::ScratchDirectory scratch;
  ControlRig rig(ControlRig::Options{{"dot", scratch.path("")}});
  rig.api().destroy_graph(rig.record_choice());
  const std::string drawn = scratch.read("cuda-graph-1.dot");
  std::size_t graphs = 0;
  for (std::size_t at = 0; (at = drawn.find("subgraph", at)) != std::string::npos; ++at) ++graphs;
  EXPECT_EQ(graphs, 3U) << drawn;
}

TEST(CudaGraphRecordedControlTest, PartsMayBeEmptyAndWhatFollowsWaits) {
  ControlRig rig;
  rig.begin_branch();
  rig.otherwise(rig.stream());
  rig.copy_in_body(2, 1);
  rig.end_branch(rig.stream());
  rig.announce("copy", 2);
  rig.copy(1, 0);
  loci_graph* graph = rig.end();
  loci_graph_exec* exec = rig.instantiate(graph);
  for (const std::uint64_t condition : {0, 1}) {
    rig.set(1, 512);
    rig.set(2, 1024);
    rig.set(3, condition);
    rig.launch(exec);
    EXPECT_EQ(rig.value_of(0), condition == 0 ? 1024U : 512U);
  }
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

// In a loop as long as 3 holds: 0 becomes 1 where 2 holds. Then 1 goes to 2, and 2 to 3.
TEST(CudaGraphRecordedControlTest, ABranchMayBeInALoop) {
  ControlRig rig;
  rig.begin_loop();
  rig.open_branch(rig.body(), rig.inner(), 2);
  rig.copy_in(rig.inner(), 1, 0);
  rig.otherwise(rig.body());
  rig.end_branch(rig.body());
  rig.copy_in_body(2, 3);
  rig.copy_in_body(1, 2);
  rig.end_loop();
  loci_graph* graph = rig.end();
  EXPECT_THAT(rig.dump(graph), HasSubstr("loop of 6 nodes")) << "the inner one's too";
  loci_graph_exec* exec = rig.instantiate(graph);
  for (const std::uint64_t choice : {0, 3}) {
    rig.set(0, 1);
    rig.set(1, 1024);
    rig.set(2, choice);
    rig.set(3, 1);
    rig.launch(exec);
    EXPECT_EQ(rig.value_of(0), choice == 0 ? 1U : 1024U);
    EXPECT_EQ(rig.value_of(3), choice == 0 ? 0U : 1024U);
  }
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

void expect_refusal(const std::function<void()>& call, const char* what) {
  EXPECT_THAT(call, ThrowsMessage<PluginError>(
                        HasSubstr(std::string("[cuda_graph] cuda:0: while, item 1 has ") + what)));
}

TEST(CudaGraphRecordedControlTest, RefusesWhatIsNotOneInTheOther) {
  ControlRig rig;
  EXPECT_THAT([&] { rig.end_loop(); },
              ThrowsMessage<PluginError>(HasSubstr("the stream does not record; begin first")));
  rig.begin();
  rig.announce("while", 1);
  expect_refusal([&] { rig.end_loop(); },
                 "the end of a loop that is not what began last; they follow each other or are in "
                 "one another, each body in a stream of its own, and a branch has two");
  expect_refusal([&] { rig.end_branch(rig.stream()); },
                 "a part of a branch that is not what began last");
  expect_refusal([&] { rig.open_loop(rig.stream()); },
                 "a loop or a branch whose body is a stream around it");
  rig.open_loop(rig.body());
  expect_refusal([&] { rig.open_loop(rig.inner()); },
                 "a loop or a branch in a stream that another one has interrupted");
  expect_refusal([&] { rig.open_branch(rig.body(), rig.stream(), 2); },
                 "a loop or a branch whose body is a stream around it");
  rig.open_branch(rig.body(), rig.inner(), 2);
  expect_refusal([&] { rig.end_loop(); }, "the end of a loop that is not what began last");
  expect_refusal([&] { rig.end_branch(rig.body()); }, "a branch that ends without its other part");
  rig.otherwise(rig.body());
  expect_refusal([&] { rig.otherwise(rig.body()); }, "a branch of more than two parts");
  expect_refusal([&] { (void)rig.end(); }, "a loop or a branch that has not ended");
  rig.expect_free();
}

TEST(CudaGraphRecordedControlTest, AnAbortFreesAllStreams) {
  ControlRig rig;
  rig.begin_loop();
  rig.open_branch(rig.body(), rig.inner(), 2);
  rig.copy_in(rig.inner(), 0, 2);
  rig.otherwise(rig.body());
  rig.copy_in(rig.inner(), 0, 1);
  rig.check(rig.api().abort(rig.capturer(), rig.stream()));
  rig.expect_free();
}

TEST(CudaGraphRecordedControlTest, IsUnsupportedWithoutTheDeviceRuntime) {
  ControlRig rig(ControlRig::Options{{"cudadevrt", "0"}});
  rig.begin();
  rig.announce("while", 1);
  EXPECT_THAT(
      [&] { rig.open_loop(rig.body()); },
      ThrowsMessage<PluginError>(
          "[cuda_graph] cuda:0: no loop or branch can be a graph's: there is no libcudadevrt.a; "
          "install the package cuda-cudart-dev, or set LOCI_CUDA_GRAPH_CUDADEVRT to it"));
  rig.copy(0, 1);
  loci_graph* graph = rig.end();
  EXPECT_EQ(rig.dump(graph), "0 while, item 1: copy of 8 bytes\n") << "nothing has changed";
  rig.api().destroy_graph(graph);
}

}  // namespace
}  // namespace loci::testing
