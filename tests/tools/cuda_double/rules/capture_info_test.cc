#include "capture.h"

namespace loci::cuda_rules {
namespace {

using CaptureInfo = DriverTest;

struct Info {
  CUresult code;
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* dependencies = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
};

Info info_of(CUstream stream) {
  Info info{};
  info.code = cu().cuStreamGetCaptureInfo(stream, &info.status, &info.id, &info.graph,
                                          &info.dependencies, &info.edges, &info.count);
  return info;
}

TEST_F(CaptureInfo, OfAStreamThatDoesNotCapture) {
  Stream stream;
  const Info info = info_of(stream);
  expect("code", info.code, CUDA_SUCCESS);
  expect_value("status", static_cast<int>(info.status), 0);
  record("count", info.count);
}

TEST_F(CaptureInfo, FollowsTheCapture) {
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  Info info = info_of(stream);
  expect("code", info.code, CUDA_SUCCESS);
  expect_value("status", static_cast<int>(info.status), 1);
  expect_value("dependencies at first", info.count, 0);
  ASSERT_NE(info.graph, nullptr);
  const auto id = info.id;
  must(launch_store(stream, memory, 1));
  info = info_of(stream);
  expect_value("dependencies after a kernel", info.count, 1);
  EXPECT_EQ(info.id, id);
  EXPECT_EQ(info.dependencies[0], nodes_of(info.graph)[0]);
  const CUgraph graph = info.graph;
  Captured captured(stream);
  expect_value("the graph of the end is that of the capture", captured.graph == graph, true);
  begin_capture(stream);
  expect_value("another id for the next", info_of(stream).id != id, true);
  Captured second(stream);
}

TEST_F(CaptureInfo, ResultsMayBeLeftOut) {
  Stream stream;
  begin_capture(stream);
  CUstreamCaptureStatus status{};
  expect("status alone",
         cu().cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr),
         CUDA_SUCCESS);
  expect("nothing",
         cu().cuStreamGetCaptureInfo(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
         CUDA_ERROR_INVALID_VALUE);
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
}

TEST_F(CaptureInfo, OfTheSecondVersion) {
  void* found = nullptr;
  must(cu().cuGetProcAddress("cuStreamGetCaptureInfo", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT,
                             nullptr));
  const auto second =
      reinterpret_cast<CUresult (*)(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                                    const CUgraphNode**, std::size_t*)>(found);
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  must(launch_store(stream, memory, 1));
  Info info{};
  expect("code",
         second(stream, &info.status, &info.id, &info.graph, &info.dependencies, &info.count),
         CUDA_SUCCESS);
  expect_value("dependencies", info.count, 1);
  Captured captured(stream);
}

TEST_F(CaptureInfo, OfAnInvalidatedCapture) {
  Stream stream;
  begin_capture(stream);
  cu().cuStreamSynchronize(stream);
  const Info info = info_of(stream);
  record("code", info.code);
  record("status", static_cast<int>(info.status));
  record("graph is null", info.graph == nullptr);
  Captured captured(stream);
}

TEST_F(CaptureInfo, OfTheLegacyStreamBesideACapture) {
  Stream blocking(CU_STREAM_DEFAULT);
  begin_capture(blocking);
  record("code", info_of(nullptr).code);
  CUstreamCaptureStatus status{};
  record("cuStreamIsCapturing", cu().cuStreamIsCapturing(nullptr, &status));
  record("capture", capture_status_name(blocking));
  Captured captured(blocking);
  record("end", captured.code);
}

TEST_F(CaptureInfo, DependenciesCanBeSetAndAdded) {
  Stream stream;
  DeviceMemory memory(12);
  begin_capture(stream);
  must(launch_store(stream, memory, 1));
  must(launch_store(stream, memory + 4, 2));
  Info info = info_of(stream);
  auto nodes = nodes_of(info.graph);
  ASSERT_EQ(nodes.size(), 2u);
  expect("set",
         cu().cuStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, 1,
                                                CU_STREAM_SET_CAPTURE_DEPENDENCIES),
         CUDA_SUCCESS);
  expect_value("count", info_of(stream).count, 1);
  expect("add",
         cu().cuStreamUpdateCaptureDependencies(stream, nodes.data() + 1, nullptr, 1,
                                                CU_STREAM_ADD_CAPTURE_DEPENDENCIES),
         CUDA_SUCCESS);
  expect_value("count after add", info_of(stream).count, 2);
  expect("set to none",
         cu().cuStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0,
                                                CU_STREAM_SET_CAPTURE_DEPENDENCIES),
         CUDA_SUCCESS);
  must(launch_store(stream, memory + 8, 3));
  Captured captured(stream);
  record("end with nodes that are no longer among them", captured.code);
  if (captured.graph != nullptr) {
    std::size_t roots = 0;
    must(cu().cuGraphGetRootNodes(captured.graph, nullptr, &roots));
    expect_value("roots", roots, 2);
  }
}

TEST_F(CaptureInfo, NodesCanBeAddedToTheGraph) {
  Stream stream;
  DeviceMemory memory(8);
  begin_capture(stream);
  must(launch_store(stream, memory, 1));
  const Info info = info_of(stream);
  CUgraphNode empty = nullptr;
  expect("add", cu().cuGraphAddEmptyNode(&empty, info.graph, info.dependencies, info.count),
         CUDA_SUCCESS);
  must(cu().cuStreamUpdateCaptureDependencies(stream, &empty, nullptr, 1,
                                              CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  must(launch_store(stream, memory, 2));
  Captured captured(stream);
  expect("end", captured.code, CUDA_SUCCESS);
  expect_text("nodes", node_types(captured.graph), "kernel empty kernel");
}

TEST_F(CaptureInfo, UpdateErrors) {
  Stream stream;
  DeviceMemory memory(4);
  expect("without a capture",
         cu().cuStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0,
                                                CU_STREAM_SET_CAPTURE_DEPENDENCIES),
         CUDA_ERROR_ILLEGAL_STATE);
  begin_capture(stream);
  CUgraphNode foreign = nullptr;
  const CUgraph other = graph_of_store(memory, 1, &foreign);
  expect("a node of another graph",
         cu().cuStreamUpdateCaptureDependencies(stream, &foreign, nullptr, 1,
                                                CU_STREAM_ADD_CAPTURE_DEPENDENCIES),
         CUDA_ERROR_INVALID_VALUE);
  expect("unknown flags", cu().cuStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 9),
         CUDA_ERROR_INVALID_VALUE);
  record("capture", capture_status_name(stream));
  Captured captured(stream);
  record("end", captured.code);
  must(cu().cuGraphDestroy(other));
}

TEST_F(CaptureInfo, TheGraphCanNotBeUsedWhileItIsCaptured) {
  Stream stream;
  DeviceMemory memory(4);
  begin_capture(stream);
  must(launch_store(stream, memory, 1));
  const CUgraph graph = info_of(stream).graph;
  CUgraphExec exec = nullptr;
  record("instantiate", cu().cuGraphInstantiate(&exec, graph, 0));
  if (exec != nullptr) must(cu().cuGraphExecDestroy(exec));
  record("capture after it", capture_status_name(stream));
  record("clone", [&] {
    CUgraph clone = nullptr;
    const CUresult code = cu().cuGraphClone(&clone, graph);
    if (code == CUDA_SUCCESS) must(cu().cuGraphDestroy(clone));
    return code;
  }());
  Captured captured(stream);
  record("end", captured.code);
}

}  // namespace
}  // namespace loci::cuda_rules
