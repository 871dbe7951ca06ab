// Executables: what is changed in them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Records two copies, from 0 to 1 and from there to 2.
loci_graph* record_chain(Rig& rig, const std::string& second = "copy") {
  rig.begin();
  rig.announce("copy", 5);
  rig.copy(0, 1);
  rig.announce(second, 6);
  rig.copy(1, 2);
  return rig.end();
}

TEST(CudaGraphExecTest, APatchOfACopyIsForItAlone) {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.set(i, 10 + static_cast<std::uint64_t>(i));
  loci_graph* graph = record_chain(rig);
  loci_graph_exec* exec = rig.instantiate(graph);
  rig.api().destroy_graph(graph);
  rig.check(rig.api().patch(exec, 5, 0, rig.address(3)));
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(2), 13U);
  rig.check(rig.api().patch(exec, 6, 1, rig.address(0)));
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(0), 13U);
  rig.api().destroy_exec(exec);
}

TEST(CudaGraphExecTest, APatchAfterAnUpdateKeepsWhatTheUpdateGave) {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.set(i, 10 + static_cast<std::uint64_t>(i));
  loci_graph* graph = record_chain(rig);
  loci_graph_exec* exec = rig.instantiate(graph);
  rig.check(rig.api().patch(exec, 5, 0, rig.address(3)));
  rig.begin();
  rig.announce("copy", 5);
  rig.copy(2, 1);
  rig.announce("copy", 6);
  rig.copy(1, 3);
  loci_graph* other = rig.end();
  rig.check(rig.api().update(exec, other));
  rig.api().destroy_graph(other);
  rig.api().destroy_graph(graph);
  rig.check(rig.api().patch(exec, 6, 1, rig.address(0)));
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(0), 12U);
  EXPECT_EQ(rig.value_of(3), 13U);
  rig.api().destroy_exec(exec);
}

// Two copies of `from` that wait for nothing, and one that waits for both as it is told.
loci_graph* record_branches(Rig& rig, int from, const std::vector<std::uint64_t>& joined) {
  rig.begin();
  rig.announce("copy", 5);
  rig.copy(from, 1);
  rig.announce("copy", 6);
  rig.depend({});
  rig.copy(from, 2);
  rig.announce("copy", 7);
  rig.depend(joined);
  rig.copy(2, 3);
  return rig.end();
}

// The driver knows nodes by those of the first graph, also where they look the same.
TEST(CudaGraphExecTest, APatchAfterAnUpdateFindsItsBranch) {
  Rig rig;
  for (int i = 0; i < 4; ++i) rig.set(i, 10 + static_cast<std::uint64_t>(i));
  loci_graph* graph = record_branches(rig, 3, {5, 6});
  loci_graph_exec* exec = rig.instantiate(graph);
  loci_graph* next = record_branches(rig, 0, {5, 6});
  rig.check(rig.api().update(exec, next));
  rig.api().destroy_graph(next);
  rig.api().destroy_graph(graph);
  rig.check(rig.api().patch(exec, 6, 0, rig.address(1)));
  rig.check(rig.api().patch(exec, 5, 1, rig.address(3)));
  rig.check(rig.api().patch(exec, 7, 1, rig.address(0)));
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(3), 10U) << "the first branch, at another target";
  EXPECT_EQ(rig.value_of(2), 11U) << "the second branch, of another source";
  EXPECT_EQ(rig.value_of(0), 11U) << "what joins them";
  rig.api().destroy_exec(exec);
}

// Nodes that look the same would be taken for each other.
TEST(CudaGraphExecTest, RefusesUpdatesWhoseEdgesHaveAnotherOrder) {
  Rig rig;
  loci_graph* graph = record_branches(rig, 0, {5, 6});
  loci_graph_exec* exec = rig.instantiate(graph);
  loci_graph* other = record_branches(rig, 0, {6, 5});
  EXPECT_THAT([&] { rig.check(rig.api().update(exec, other)); },
              ThrowsMessage<PluginError>(HasSubstr("node 2 (copy, item 7) waits for others than it "
                                                   "did, or in another order")));
  rig.api().destroy_exec(exec);
  for (loci_graph* each : {graph, other}) rig.api().destroy_graph(each);
}

TEST(CudaGraphExecTest, RefusesPatchesWithTheirReason) {
  Rig rig;
  loci_graph* graph = record_chain(rig, "assign");
  loci_graph_exec* exec = rig.instantiate(graph);
  const auto patch = [&](std::uint64_t item, std::uint32_t argument) {
    return [&rig, exec, item, argument] {
      rig.check(rig.api().patch(exec, item, argument, rig.address(3)));
    };
  };
  EXPECT_THAT(patch(99, 0),
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: there is no item 99 in the graph"));
  EXPECT_THAT(patch(5, 2), ThrowsMessage<PluginError>(HasSubstr(
                               "item 5 is a copy and has no argument 2; 0 is its source")));
  EXPECT_THAT(patch(6, 0),
              ThrowsMessage<PluginError>(AllOf(HasSubstr("an argument of assign, item 6"),
                                               HasSubstr("capture anew and update"))));
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphExecTest, RefusesUpdatesByTheFirstNodeThatDiffers) {
  Rig rig;
  loci_graph* graph = record_chain(rig);
  loci_graph_exec* exec = rig.instantiate(graph);
  const auto update = [&](loci_graph* next) {
    return [&rig, exec, next] { rig.check(rig.api().update(exec, next)); };
  };
  loci_graph* renamed = record_chain(rig, "assign");
  EXPECT_THAT(update(renamed),
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: the executable cannot be updated: "
                                         "node 1 (assign, item 6) is of another op, and was of "
                                         "copy"));
  rig.begin();
  rig.announce("copy", 5);
  rig.copy(0, 1);
  loci_graph* shorter = rig.end();
  EXPECT_THAT(update(shorter),
              ThrowsMessage<PluginError>(HasSubstr("node 1 (copy, item 6) is there no more")));
  rig.begin();
  rig.announce("fill", 5);
  const std::uint32_t pattern = 0;
  rig.check(rig.device_api().fill(rig.device(), rig.address(0), 8, &pattern, 4, rig.stream(), 0));
  loci_graph* fill = rig.end();
  EXPECT_THAT(update(fill), ThrowsMessage<PluginError>(
                                HasSubstr("node 0 (fill, item 5) is a fill, and was a copy")));
  for (loci_graph* each : {graph, renamed, shorter, fill}) rig.api().destroy_graph(each);
  rig.api().destroy_exec(exec);
}

}  // namespace
}  // namespace loci::testing
