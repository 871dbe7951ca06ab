// Tests what the capturer refuses, what it says of graphs, and forks that came into a stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CudaGraphCapturerTest, AnUnknownSettingIsRefused) {
  EXPECT_THAT(
      [] {
        open_capturing({{"fail_end", "1"}});
      },
      ThrowsMessage<PluginError>(
          "[cuda_graph] there is no setting 'fail_end' (given '1'); there are cudadevrt "
          "and dot"));
  EXPECT_THAT(
      [] {
        open_capturing({{"dot", "/absent"}});
      },
      ThrowsMessage<PluginError>("[cuda_graph] LOCI_CUDA_GRAPH_DOT is '/absent', which is "
                                 "no directory; make it first"));
  EXPECT_THAT(
      [] {
        open_capturing({{"cudadevrt", "/absent"}});
      },
      ThrowsMessage<PluginError>("[cuda_graph] LOCI_CUDA_GRAPH_CUDADEVRT is '/absent', which is no "
                                 "file; give the path of libcudadevrt.a, or 0 for none"));
}

TEST(CudaGraphCapturerTest, DeclinesADeviceThatDoesNotSayWhatItsDriverIs) {
  DrivenPlugin plugin = open_capturing();
  const loci_native_handles none{sizeof none, 0, nullptr,
                                 [](void*, loci_stream*, loci_str, void** out) -> loci_error* {
                                   *out = nullptr;
                                   return nullptr;
                                 }};
  loci_capturer* capturer = nullptr;
  const auto open = [&] {
    plugin.host().check(capture_api_of(plugin).open(plugin.plugin(), 3, &none, &capturer));
  };
  EXPECT_THAT(open, ThrowsMessage<PluginError>(
                        HasSubstr("[cuda_graph] cuda:3 has no native handle 'cuda.driver'")));
}

TEST(CudaGraphCapturerTest, TellsWhichOpSpoiltARecording) {
  Rig rig;
  rig.begin();
  rig.announce("relu", 7);
  rig.copy(0, 1);
  std::uint32_t done = 0;
  EXPECT_THAT([&] { rig.check(rig.device_api().stream_query(rig.stream(), &done)); },
              ThrowsMessage<PluginError>(AllOf(HasSubstr("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
                                               HasSubstr("before the recording or after it"))));
  EXPECT_THAT([&] { rig.announce("exp", 8); },
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: relu, item 7 did what no graph can "
                                         "have, and the recording is invalid; leave it out of the "
                                         "capture"));
  EXPECT_THAT([&] { (void)rig.end(); },
              ThrowsMessage<PluginError>(
                  AllOf(HasSubstr("[cuda_graph] cuda:0: ending a recording that became invalid "
                                  "behind relu, item 7 ended with "
                                  "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901, "),
                        HasSubstr("leave out of the capture"))));
  EXPECT_THAT([&] { (void)rig.end(); },
              ThrowsMessage<PluginError>(HasSubstr("the stream does not record; begin first")));
}

// An allocation in the order of the stream that goes past the plugin of the device.
TEST(CudaGraphCapturerTest, RefusesMemoryThatAGraphWouldOwn) {
  Rig rig;
  rig.begin();
  rig.announce("sort", 2);
  CUdeviceptr memory = 0;
  const auto allocate = driver_function<decltype(::cuMemAllocAsync)>("cuMemAllocAsync");
  const auto push = driver_function<decltype(::cuCtxPushCurrent)>("cuCtxPushCurrent_v2");
  void* context = nullptr;
  const std::string name = "cuda.context";
  rig.check(rig.device_api().native_handle(rig.device(), nullptr, text_of(name), &context));
  ASSERT_EQ(push(static_cast<CUcontext>(context)), CUDA_SUCCESS);
  ASSERT_EQ(allocate(&memory, 64, rig.driver_stream()), CUDA_SUCCESS);
  EXPECT_THAT([&] { (void)rig.end(); },
              ThrowsMessage<PluginError>(HasSubstr(
                  "the work of sort, item 2 has memory in the order of the stream (allocation)")));
  rig.set(0, 5);
  EXPECT_EQ(rig.value_of(0), 5U) << "the stream is free";
}

TEST(CudaGraphCapturerTest, ANodeOfEachOpHasALine) {
  Rig rig;
  rig.begin();
  rig.announce("copy", 4);
  rig.copy(0, 1);
  rig.announce("assign", 9);
  rig.copy(1, 2);
  rig.copy(2, 3);
  loci_graph* graph = rig.end();
  EXPECT_EQ(rig.dump(graph),
            "0 copy, item 4: copy of 8 bytes\n"
            "1 assign, item 9: copy of 8 bytes\n"
            "2 assign, item 9: copy of 8 bytes\n");
  rig.api().destroy_graph(graph);
}

// From 0 to 1 and to 2 beside it, and from there to 3.
loci_graph* record_forks(Rig& rig, const std::vector<std::uint64_t>& last) {
  rig.begin();
  rig.announce("copy", 3);
  rig.depend({});
  rig.copy(0, 1);
  rig.announce("copy", 4);
  rig.depend({});
  rig.copy(0, 2);
  rig.announce("nothing", 5);
  rig.depend({4, 3});
  rig.announce("copy", 8);
  rig.depend(last);
  rig.copy(2, 3);
  return rig.end();
}

TEST(CudaGraphCapturerTest, ForksAndJoinsAsItIsTold) {
  Rig rig;
  loci_graph* graph = record_forks(rig, {5, 4});
  EXPECT_EQ(rig.dump(graph),
            "0 copy, item 3: copy of 8 bytes\n"
            "1 copy, item 4: copy of 8 bytes, behind nothing\n"
            "2 copy, item 8: copy of 8 bytes, behind 0 and 1\n");
  loci_graph_exec* exec = rig.instantiate(graph);
  for (const std::uint64_t value : {7, 9}) {
    rig.set(0, value);
    rig.launch(exec);
    EXPECT_EQ(rig.value_of(1), value);
    EXPECT_EQ(rig.value_of(3), value);
  }
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

// A launch has ended when all has, also what nothing waits for.
TEST(CudaGraphCapturerTest, WhatNothingWaitsForIsOfTheGraph) {
  Rig rig;
  loci_graph* graph = record_forks(rig, {4});
  EXPECT_THAT(rig.dump(graph), HasSubstr("2 copy, item 8: copy of 8 bytes\n"));
  loci_graph_exec* exec = rig.instantiate(graph);
  rig.set(0, 5);
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(1), 5U);
  EXPECT_EQ(rig.value_of(3), 5U);
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

TEST(CudaGraphCapturerTest, AForkFromWhatIsNotThereIsRefused) {
  Rig rig;
  rig.begin();
  rig.announce("copy", 3);
  for (const std::uint64_t unknown : {0, 3, 4}) {
    EXPECT_THAT([&] { rig.depend({unknown}); },
                ThrowsMessage<PluginError>(
                    "[cuda_graph] cuda:0: copy, item 3 is to wait for item " +
                    std::to_string(unknown) + ", which was not announced before it"));
  }
  rig.copy(0, 1);
  loci_graph* graph = rig.end();
  EXPECT_EQ(rig.dump(graph), "0 copy, item 3: copy of 8 bytes\n");
  rig.api().destroy_graph(graph);
  EXPECT_THAT([&] { rig.depend({}); },
              ThrowsMessage<PluginError>(HasSubstr("the stream does not record; begin first")));
}

TEST(CudaGraphCapturerTest, TellsNodesAndMemoryOfEachGraph) {
  Rig rig;
  const auto stats_of = [&rig](const loci_graph* graph) {
    loci_graph_stats stats{};
    stats.struct_size = sizeof stats;
    rig.check(rig.api().stats(graph, &stats));
    return stats;
  };
  const auto record = [&rig](int copies) {
    rig.begin();
    rig.announce("fill", 1);
    const std::uint32_t pattern = 0;
    rig.check(rig.device_api().fill(rig.device(), rig.address(0), 8, &pattern, 4, rig.stream(), 0));
    for (int i = 0; i < copies; ++i) {
      rig.announce("copy", 2 + static_cast<std::uint64_t>(i));
      rig.copy(0, 1);
    }
    return rig.end();
  };
  std::vector<std::uint64_t> bytes;
  for (const int copies : {0, 1, 100}) {
    loci_graph* graph = record(copies);
    const loci_graph_stats stats = stats_of(graph);
    EXPECT_EQ(stats.kernels, 0U);
    EXPECT_EQ(stats.copies, static_cast<std::uint64_t>(copies));
    EXPECT_EQ(stats.fills, 1U);
    EXPECT_EQ(stats.others, 0U);
    bytes.push_back(stats.bytes);
    rig.api().destroy_graph(graph);
  }
  EXPECT_GT(bytes[0], 0U);
  const std::uint64_t of_a_copy = bytes[1] - bytes[0];
  EXPECT_GT(of_a_copy, 512U) << "a node of the driver's, and what is known of it";
  EXPECT_EQ(bytes[2] - bytes[0], 100 * of_a_copy);
}

// A library may do so within an op: the op's nodes are those of both streams.
TEST(CudaGraphCapturerTest, ForksAndJoinsWithinAnOpAreThatOps) {
  Rig rig;
  const auto create = driver_function<decltype(::cuEventCreate)>("cuEventCreate");
  const auto record = driver_function<decltype(::cuEventRecord)>("cuEventRecord");
  const auto wait = driver_function<decltype(::cuStreamWaitEvent)>("cuStreamWaitEvent");
  const auto copy = driver_function<decltype(::cuMemcpyDtoDAsync)>("cuMemcpyDtoDAsync_v2");
  const auto push = driver_function<decltype(::cuCtxPushCurrent)>("cuCtxPushCurrent_v2");
  const auto make = driver_function<decltype(::cuStreamCreate)>("cuStreamCreate");
  void* context = nullptr;
  const std::string name = "cuda.context";
  rig.check(rig.device_api().native_handle(rig.device(), nullptr, text_of(name), &context));
  ASSERT_EQ(push(static_cast<CUcontext>(context)), CUDA_SUCCESS);
  CUstream side = nullptr;
  CUevent forked = nullptr;
  CUevent joined = nullptr;
  ASSERT_EQ(make(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(create(&forked, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(create(&joined, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  const auto at = [&](int number) { return reinterpret_cast<CUdeviceptr>(rig.address(number)); };

  rig.set(0, 11);
  rig.begin();
  rig.announce("copy", 1);
  rig.copy(0, 1);
  rig.announce("attention", 2);
  ASSERT_EQ(record(forked, rig.driver_stream()), CUDA_SUCCESS);
  ASSERT_EQ(wait(side, forked, 0), CUDA_SUCCESS);
  ASSERT_EQ(copy(at(2), at(1), 8, side), CUDA_SUCCESS);
  rig.copy(1, 3);
  ASSERT_EQ(record(joined, side), CUDA_SUCCESS);
  ASSERT_EQ(wait(rig.driver_stream(), joined, 0), CUDA_SUCCESS);
  rig.announce("copy", 3);
  rig.copy(2, 0);
  loci_graph* graph = rig.end();
  const std::string dump = rig.dump(graph);
  EXPECT_THAT(dump, HasSubstr("0 copy, item 1: copy of 8 bytes\n"));
  EXPECT_THAT(dump, HasSubstr("1 attention, item 2: copy of 8 bytes\n"));
  EXPECT_THAT(dump, HasSubstr("2 attention, item 2: copy of 8 bytes, behind 0\n"));
  EXPECT_THAT(dump, HasSubstr("3 copy, item 3: copy of 8 bytes, behind 1 and 2\n"));

  loci_graph_exec* exec = rig.instantiate(graph);
  rig.launch(exec);
  EXPECT_EQ(rig.value_of(2), 11U);
  EXPECT_EQ(rig.value_of(3), 11U);
  rig.api().destroy_exec(exec);
  rig.api().destroy_graph(graph);
}

}  // namespace
}  // namespace loci::testing
