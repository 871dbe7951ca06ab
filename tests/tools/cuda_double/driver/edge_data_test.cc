// Edges of graphs carry data: the double refuses what it would not do.
#include "double_fixture.h"

namespace loci::cuda_rules {
namespace {

class EdgeDataFresh : public DoubleFresh {
 protected:
  void SetUp() override {
    DoubleFresh::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    start("log=errors");
    must(cu().cuGraphCreate(&graph_, 0));
    must(cu().cuGraphAddEmptyNode(&first_, graph_, nullptr, 0));
    must(cu().cuGraphAddEmptyNode(&second_, graph_, nullptr, 0));
  }

  CUresult add(const CUgraphEdgeData& data) const {
    return cu().cuGraphAddDependencies(graph_, &first_, &second_, &data, 1);
  }
  std::size_t edges() const {
    std::size_t count = 0;
    must(cu().cuGraphGetEdges(graph_, nullptr, nullptr, nullptr, &count));
    return count;
  }
  // The line that tells of a refusal.
  template <typename Refused>
  static std::string reason(const Refused& refused, CUresult expected) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(refused(), expected);
    return ::testing::internal::GetCapturedStderr();
  }

  CUgraph graph_ = nullptr;
  CUgraphNode first_ = nullptr;
  CUgraphNode second_ = nullptr;
};

constexpr CUgraphEdgeData kProgrammatic = {
    CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
constexpr CUgraphEdgeData kLaunchOrder = {
    CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, 0, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT, {}};

TEST_F(EdgeDataFresh, PlainEdgesAreAddedAndTold) {
  EXPECT_EQ(add({}), CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  CUgraphEdgeData data = kProgrammatic;
  std::size_t count = 1;
  EXPECT_EQ(cu().cuGraphNodeGetDependencies(second_, &node, &data, &count), CUDA_SUCCESS);
  EXPECT_EQ(node, first_);
  EXPECT_EQ(data.type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  EXPECT_EQ(data.from_port, 0);
  data = kProgrammatic;
  EXPECT_EQ(cu().cuGraphNodeGetDependentNodes(first_, &node, &data, &count), CUDA_SUCCESS);
  EXPECT_EQ(node, second_);
  EXPECT_EQ(data.type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
}

TEST_F(EdgeDataFresh, ProgrammaticEdgesAreRefusedByName) {
  EXPECT_EQ(reason([&] { return add(kProgrammatic); }, CUDA_ERROR_NOT_SUPPORTED),
            "[cuda double] cuGraphAddDependencies_v2 #1: CUDA_ERROR_NOT_SUPPORTED: edge 0 is "
            "programmatic, of type 1 from port 1; the double has plain edges alone\n");
  EXPECT_EQ(edges(), 0u);
}

TEST_F(EdgeDataFresh, EdgesOfLaunchOrderAreRefusedByName) {
  EXPECT_EQ(reason([&] { return add(kLaunchOrder); }, CUDA_ERROR_NOT_SUPPORTED),
            "[cuda double] cuGraphAddDependencies_v2 #1: CUDA_ERROR_NOT_SUPPORTED: edge 0 is of "
            "launch order, of type 0 from port 2; the double has plain edges alone\n");
}

TEST_F(EdgeDataFresh, DataThatNoDriverHasIsInvalid) {
  CUgraphEdgeData reserved{};
  reserved.reserved[4] = 1;
  EXPECT_EQ(add(reserved), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add({0, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add({CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, 0, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add({0, 0, 7, {}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reason(
                [&] {
                  return add({9, 3, 0, {}});
                },
                CUDA_ERROR_INVALID_VALUE),
            "[cuda double] cuGraphAddDependencies_v2 #5: CUDA_ERROR_INVALID_VALUE: the data of "
            "edge 0 is none: type 0, from port 9, to port 3\n");
  EXPECT_EQ(edges(), 0u);
}

TEST_F(EdgeDataFresh, NoEdgeIsRemovedByOtherData) {
  must(add({}));
  const auto remove = [&](const CUgraphEdgeData& data) {
    return cu().cuGraphRemoveDependencies(graph_, &first_, &second_, &data, 1);
  };
  EXPECT_EQ(remove(kProgrammatic), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(edges(), 1u);
  EXPECT_EQ(remove({}), CUDA_SUCCESS);
  EXPECT_EQ(edges(), 0u);
}

TEST_F(EdgeDataFresh, NewNodesHavePlainEdgesAlone) {
  CUgraphNodeParams empty{};
  empty.type = CU_GRAPH_NODE_TYPE_EMPTY;
  CUgraphNode node = nullptr;
  EXPECT_EQ(cu().cuGraphAddNode(&node, graph_, &first_, &kProgrammatic, 1, &empty),
            CUDA_ERROR_NOT_SUPPORTED);
  const CUgraphEdgeData plain{};
  EXPECT_EQ(cu().cuGraphAddNode(&node, graph_, &first_, &plain, 1, &empty), CUDA_SUCCESS);
  EXPECT_EQ(edges(), 1u);
}

TEST_F(EdgeDataFresh, CapturesHavePlainEdgesAlone) {
  Stream stream;
  const auto begin = [&](const CUgraphEdgeData& data) {
    return cu().cuStreamBeginCaptureToGraph(stream, graph_, &first_, &data, 1,
                                            CU_STREAM_CAPTURE_MODE_RELAXED);
  };
  EXPECT_EQ(begin(kProgrammatic), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(begin({}), CUDA_SUCCESS);
  EXPECT_EQ(cu().cuStreamUpdateCaptureDependencies(stream, &second_, &kLaunchOrder, 1,
                                                   CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph captured = nullptr;
  EXPECT_EQ(cu().cuStreamEndCapture(stream, &captured), CUDA_SUCCESS);
}

}  // namespace
}  // namespace loci::cuda_rules
