// Without an else a driver makes a branch two nodes. The double reads once in a process what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda_graph/control_rig.h"

namespace loci::testing {
namespace {

TEST(CudaGraphOlderDriverTest, ABranchIsTwoNodes) {
  ControlRig rig({}, "checks=all,version=12.4");
  loci_graph* graph = rig.record_choice();
  EXPECT_EQ(rig.dump(graph),
            "0 case, item 1: kernel loci_set_condition, grid 1x1x1, block 1x1x1\n"
            "1 case, item 1: kernel loci_set_condition, grid 1x1x1, block 1x1x1\n"
            "2 case, item 1: branch of 2 nodes\n"
            "3 case, item 1: branch of 1 nodes\n");
  rig.expect_choice(graph);
  rig.api().destroy_graph(graph);
}

}  // namespace
}  // namespace loci::testing
