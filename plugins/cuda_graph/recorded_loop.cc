#include "recorded_loop.h"

#include <utility>

namespace loci::cuda_graph {
namespace {

// What a stream records, and what its next work would wait for.
struct Recorded {
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> tips;
};

Recorded recorded_in(const Driver& driver, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  Recorded recorded;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  driver.check(
      driver->capture_info(stream, &status, nullptr, &recorded.graph, &nodes, &edges, &count),
      "looking at a recording");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    driver.check(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "recording a loop");
  }
  recorded.tips.assign(nodes, nodes + count);
  return recorded;
}

}  // namespace

RecordedLoop::RecordedLoop(std::shared_ptr<const Driver> driver, ConditionSetter& setter,
                           CUstream stream, CUstream body, cuda::StreamRecording& told,
                           CUdeviceptr condition)
    : driver_(std::move(driver)), setter_(setter), body_(body), told_(told), byte_(condition) {
  const CurrentContext current(*driver_);
  driver_->check((*driver_)->cuGraphConditionalHandleCreate(
                     &condition_, recorded_in(*driver_, stream).graph, driver_->context(), 0, 0),
                 "making a condition");
  setter_.enqueue(*driver_, stream, condition_, byte_);
  add_node(stream);
  const std::lock_guard lock(told_.mutex);
  driver_->check((*driver_)->cuStreamBeginCaptureToGraph(body_, body_graph_, nullptr, nullptr, 0,
                                                         CU_STREAM_CAPTURE_MODE_RELAXED),
                 "beginning to record the body of a loop");
  told_.thread = std::this_thread::get_id();
  is_open_ = true;
}

void RecordedLoop::add_node(CUstream stream) {
  const Recorded before = recorded_in(*driver_, stream);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = condition_;
  parameters.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  parameters.conditional.size = 1;
  parameters.conditional.ctx = driver_->context();
  driver_->check((*driver_)->add_node(&node_, before.graph, before.tips.data(), nullptr,
                                      before.tips.size(), &parameters),
                 "adding a loop to a graph");
  body_graph_ = parameters.conditional.phGraph_out[0];
  driver_->check((*driver_)->update_dependencies(stream, &node_, nullptr, 1,
                                                 CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                 "adding a loop to a recording");
}

// The graph belongs to the node.
CUresult RecordedLoop::end(CUgraph& graph) {
  const CurrentContext current(*driver_);
  const std::lock_guard lock(told_.mutex);
  is_open_ = false;
  told_.thread = std::thread::id();
  told_.launches = {};
  return (*driver_)->cuStreamEndCapture(body_, &graph);
}

void RecordedLoop::finish() {
  const CurrentContext current(*driver_);
  setter_.enqueue(*driver_, body_, condition_, byte_);
  CUgraph graph = nullptr;
  driver_->check(end(graph), "ending the body of a loop");
  driver_->check((*driver_)->cuGraphGetNodes(body_graph_, nullptr, &nodes_),
                 "counting the body of a loop");
}

RecordedLoop::~RecordedLoop() {
  CUgraph ignored = nullptr;
  if (is_open_) static_cast<void>(end(ignored));
}

}  // namespace loci::cuda_graph
