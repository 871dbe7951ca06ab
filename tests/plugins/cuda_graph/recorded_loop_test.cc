// Loops of graphs, recorded by the C table: copies alone move conditions and values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Memory 3 is the condition.
class LoopRig : public Rig {
 public:
  using Options = std::map<std::string, std::string>;
  explicit LoopRig(const Options& options = {}) : Rig("checks=all", options) {
    check(device_api().stream_create(device(), 0, &body_));
  }
  ~LoopRig() { device_api().stream_destroy(body_); }

  void begin_loop() {
    begin();
    announce("while", 1);
    open_loop(body_);
  }
  void open_loop(loci_stream* body) {
    check(api().loop_begin(capturer(), stream(), body, address(3)));
  }
  void end_loop() { check(api().loop_end(capturer(), stream())); }
  void copy_in_body(int from, int to) {
    loci_copy within{};
    within.struct_size = sizeof within;
    within.source_end = LOCI_END_DEVICE;
    within.target_end = LOCI_END_DEVICE;
    within.source = address(from);
    within.target = address(to);
    within.row_bytes = sizeof(std::uint64_t);
    within.rows = 1;
    std::uint32_t blocked = 0;
    check(device_api().copy(device(), &within, body_, &blocked));
  }
  // What is in 0 comes to 3, a step in each round.
  loci_graph* record_steps() {
    begin_loop();
    for (const int to : {3, 2, 1}) copy_in_body(to - 1, to);
    end_loop();
    return end();
  }
  // Work of either stream is done at once again.
  void expect_free() {
    set(0, 5);
    EXPECT_EQ(value_of(0), 5U);
    check(device_api().stream_synchronize(body_));
  }
  [[nodiscard]] loci_stream* body() const { return body_; }

 private:
  loci_stream* body_ = nullptr;
};

TEST(CudaGraphRecordedLoopTest, GoesOnAsLongAsItsConditionHolds) {
  LoopRig rig;
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

TEST(CudaGraphRecordedLoopTest, WhatFollowsItWaitsForIt) {
  LoopRig rig;
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

TEST(CudaGraphRecordedLoopTest, IsNeitherPatchedNorUpdated) {
  LoopRig rig;
  loci_graph* graph = rig.record_steps();
  loci_graph_exec* exec = rig.instantiate(graph);
  EXPECT_THAT([&] { rig.check(rig.api().patch(exec, 1, 0, rig.address(2))); },
              ThrowsMessage<PluginError>(HasSubstr("an argument of while, item 1 is not known")));
  EXPECT_THAT([&] { rig.check(rig.api().update(exec, graph)); },
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: the executable cannot be updated: "
                                         "it has a loop, or would have one"));
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphRecordedLoopTest, RefusesWhatIsNoLoop) {
  LoopRig rig;
  EXPECT_THAT([&] { rig.end_loop(); },
              ThrowsMessage<PluginError>(HasSubstr("the stream does not record; begin first")));
  rig.begin();
  rig.announce("while", 1);
  EXPECT_THAT([&] { rig.end_loop(); },
              ThrowsMessage<PluginError>(HasSubstr(
                  "[cuda_graph] cuda:0: while, item 1 has a loop that has not begun; loops follow "
                  "each other, each in a stream of its own")));
  EXPECT_THAT([&] { rig.open_loop(rig.stream()); },
              ThrowsMessage<PluginError>(HasSubstr("or in the stream around it")));
  rig.open_loop(rig.body());
  EXPECT_THAT([&] { rig.open_loop(rig.body()); },
              ThrowsMessage<PluginError>(HasSubstr("has a loop within another")));
  EXPECT_THAT([&] { (void)rig.end(); },
              ThrowsMessage<PluginError>(HasSubstr("has a loop that has not ended")));
  rig.expect_free();
}

TEST(CudaGraphRecordedLoopTest, AnAbortFreesBothStreams) {
  LoopRig rig;
  rig.begin_loop();
  rig.copy_in_body(0, 1);
  rig.check(rig.api().abort(rig.capturer(), rig.stream()));
  rig.expect_free();
}

TEST(CudaGraphRecordedLoopTest, IsUnsupportedWithoutTheDeviceRuntime) {
  LoopRig rig(LoopRig::Options{{"cudadevrt", "0"}});
  rig.begin();
  rig.announce("while", 1);
  EXPECT_THAT([&] { rig.open_loop(rig.body()); },
              ThrowsMessage<PluginError>(
                  "[cuda_graph] cuda:0: no loop can be a graph's: there is no libcudadevrt.a; "
                  "install the package cuda-cudart-dev, or set LOCI_CUDA_GRAPH_CUDADEVRT to it"));
  rig.copy(0, 1);
  loci_graph* graph = rig.end();
  EXPECT_EQ(rig.dump(graph), "0 while, item 1: copy of 8 bytes\n") << "nothing has changed";
  rig.api().destroy_graph(graph);
}

}  // namespace
}  // namespace loci::testing
