// Tests what the driver itself refuses, with its words. The double reads once in a process what is
// to fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CudaGraphFaultsTest, TellsWhatTheDriverFailsWith) {
  Rig rig(
      "fail=cuStreamBeginCapture_v2:1:801,fail=cuGraphInstantiateWithFlags:1:2,"
      "fail=cuGraphLaunch:1:1");
  EXPECT_THAT([&] { rig.begin(); },
              ThrowsMessage<PluginError>(HasSubstr("[cuda_graph] cuda:0: beginning to record ended "
                                                   "with CUDA_ERROR_NOT_SUPPORTED (801, ")));
  rig.begin();
  rig.announce("copy", 1);
  rig.copy(0, 1);
  loci_graph* graph = rig.end();
  EXPECT_THAT([&] { (void)rig.instantiate(graph); },
              ThrowsMessage<PluginError>(
                  AllOf(HasSubstr("[cuda_graph] cuda:0: instantiating a graph of 1 nodes ended "
                                  "with CUDA_ERROR_OUT_OF_MEMORY (2, "),
                        HasSubstr("free tensors or graphs"))));
  loci_graph_exec* exec = rig.instantiate(graph);
  EXPECT_THAT([&] { rig.launch(exec); },
              ThrowsMessage<PluginError>(
                  HasSubstr("launching a graph ended with CUDA_ERROR_INVALID_VALUE (1, ")));
  rig.set(0, 3);
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(1), 3U);
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

}  // namespace
}  // namespace loci::testing
