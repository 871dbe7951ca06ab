#include "recorded_control.h"

#include <utility>

namespace loci::cuda_graph {
namespace {

// The graph that a stream records, and the nodes that its next work would wait for.
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
    driver.check(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "recording a loop or a branch");
  }
  recorded.tips.assign(nodes, nodes + count);
  return recorded;
}

// From which on a node has a body for a condition that does not hold.
constexpr int kHasElse = 12080;

}  // namespace

// Conditions are told before the first node: what its body does may change the byte.
RecordedControl::RecordedControl(std::shared_ptr<const Driver> driver, ConditionSetter& setter,
                                 Kind kind, CUstream around, CUstream body,
                                 cuda::StreamRecording& told, CUdeviceptr byte)
    : driver_(std::move(driver)),
      setter_(setter),
      kind_(kind),
      around_(around),
      body_(body),
      told_(told),
      byte_(byte) {
  const CurrentContext current(*driver_);
  condition_ = make_condition(/*is_opposite=*/false);
  if (kind_ == Kind::kLoop) {
    add_node(condition_, 1);
  } else if (driver_->version() >= kHasElse) {
    add_node(condition_, 2);
  } else {
    const CUgraphConditionalHandle opposite = make_condition(/*is_opposite=*/true);
    add_node(condition_, 1);
    add_node(opposite, 1);
  }
  begin_part();
}

CUgraphConditionalHandle RecordedControl::make_condition(bool is_opposite) {
  CUgraphConditionalHandle condition = 0;
  driver_->check((*driver_)->cuGraphConditionalHandleCreate(
                     &condition, recorded_in(*driver_, around_).graph, driver_->context(), 0, 0),
                 "making a condition");
  setter_.enqueue(*driver_, around_, condition, byte_, is_opposite);
  return condition;
}

void RecordedControl::add_node(CUgraphConditionalHandle condition, unsigned bodies) {
  const Recorded before = recorded_in(*driver_, around_);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = condition;
  parameters.conditional.type =
      kind_ == Kind::kLoop ? CU_GRAPH_COND_TYPE_WHILE : CU_GRAPH_COND_TYPE_IF;
  parameters.conditional.size = bodies;
  parameters.conditional.ctx = driver_->context();
  CUgraphNode node = nullptr;
  driver_->check((*driver_)->add_node(&node, before.graph, before.tips.data(), nullptr,
                                      before.tips.size(), &parameters),
                 "adding a conditional node to a graph");
  nodes_.push_back({node, kind_ == Kind::kLoop, std::vector<std::size_t>(bodies)});
  for (unsigned i = 0; i < bodies; ++i) {
    bodies_.push_back(parameters.conditional.phGraph_out[i]);
    counts_.push_back(0);
  }
  driver_->check((*driver_)->update_dependencies(around_, &node, nullptr, 1,
                                                 CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                 "adding a conditional node to a recording");
}

void RecordedControl::begin_part() {
  const std::lock_guard lock(told_.mutex);
  driver_->check((*driver_)->cuStreamBeginCaptureToGraph(body_, bodies_[part_], nullptr, nullptr, 0,
                                                         CU_STREAM_CAPTURE_MODE_RELAXED),
                 "beginning to record the body of a loop or a branch");
  told_.thread = std::this_thread::get_id();
  is_open_ = true;
}

// The graph belongs to the node.
CUresult RecordedControl::end(CUgraph& graph) {
  const CurrentContext current(*driver_);
  const std::lock_guard lock(told_.mutex);
  is_open_ = false;
  told_.thread = std::thread::id();
  told_.launches = {};
  return (*driver_)->cuStreamEndCapture(body_, &graph);
}

void RecordedControl::end_part() {
  CUgraph graph = nullptr;
  driver_->check(end(graph), "ending the body of a loop or a branch");
  std::size_t nodes = 0;
  driver_->check((*driver_)->cuGraphGetNodes(bodies_[part_], nullptr, &nodes),
                 "counting the body of a loop or a branch");
  counts_[part_] += nodes;
}

void RecordedControl::begin_other() {
  const CurrentContext current(*driver_);
  end_part();
  ++part_;
  begin_part();
}

void RecordedControl::finish() {
  const CurrentContext current(*driver_);
  if (kind_ == Kind::kLoop) {
    setter_.enqueue(*driver_, body_, condition_, byte_, /*is_opposite=*/false);
  }
  end_part();
  auto count = counts_.begin();
  for (ConditionalNode& node : nodes_) {
    for (std::size_t& body : node.bodies) body = *count++;
  }
}

void RecordedControl::add_inner(const RecordedControl& inner) {
  for (const std::size_t count : inner.counts_) counts_[part_] += count;
}

RecordedControl::~RecordedControl() {
  CUgraph ignored = nullptr;
  if (is_open_) static_cast<void>(end(ignored));
}

}  // namespace loci::cuda_graph
