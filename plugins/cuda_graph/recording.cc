#include "recording.h"

#include <utility>

namespace loci::cuda_graph {

// Relaxed: that a thread may not do something meanwhile is the host's to say, by the mode of its
// Graph, and it has said so before this. Here streams that do not record are nobody's business.
Recording::Recording(std::shared_ptr<const Driver> driver, CUstream stream,
                     cuda::StreamRecording& told)
    : driver_(std::move(driver)), stream_(stream), told_(told) {
  announced_.push_back({{"work that was not announced", 0}, {}});
  const CurrentContext current(*driver_);
  const std::lock_guard lock(told_.mutex);
  driver_->check((*driver_)->cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
                 "beginning to record");
  told_.thread = std::this_thread::get_id();
  told_.launches = {};
}

bool Recording::read_tips(std::vector<CUgraphNode>& tips) const {
  const CurrentContext current(*driver_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  driver_->check(
      (*driver_)->capture_info(stream_, &status, nullptr, nullptr, &nodes, &edges, &count),
      "looking at a recording");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return false;
  tips.assign(nodes, nodes + count);
  return true;
}

void Recording::announce(std::string_view op, std::uint64_t item) {
  std::vector<CUgraphNode> tips;
  take_launches();
  if (read_tips(tips)) {
    announced_.push_back({{std::string(op), item}, std::move(tips)});
    return;
  }
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda_graph] " + driver_->place() + ": " + text_of(announced_.back().op) +
                       " did what no graph can have, and the recording is invalid; leave it out "
                       "of the capture");
}

CUresult Recording::end(CUgraph& graph) const {
  const CurrentContext current(*driver_);
  const std::lock_guard lock(told_.mutex);
  told_.thread = std::thread::id();
  return (*driver_)->cuStreamEndCapture(stream_, &graph);
}

void Recording::take_launches() {
  announced_.back().op.launches = std::exchange(told_.launches, {});
}

std::shared_ptr<const Captured> Recording::finish() {
  take_launches();
  open_loop_.reset();
  std::vector<CUgraphNode> tips;
  const std::string what =
      read_tips(tips) ? "ending a recording" : "ending a recording that became invalid";
  CUgraph graph = nullptr;
  driver_->check(end(graph), what + " behind " + text_of(announced_.back().op));
  const auto captured = std::make_shared<Captured>(driver_, graph);
  if (is_in_loop_) refuse_loop("that has not ended");
  for (const auto& [node, nodes] : loops_) captured->add_loop(node, nodes);
  for (std::size_t i = 0; i < announced_.size(); ++i) {
    const bool is_last = i + 1 == announced_.size();
    captured->add(std::move(announced_[i].op), is_last ? tips : announced_[i + 1].tips);
  }
  return captured;
}

// One that fails on its way leaves a node that would go on for ever, so that the graph is given up.
void Recording::begin_loop(ConditionSetter& setter, CUstream body, cuda::StreamRecording& told,
                           CUdeviceptr condition) {
  if (is_in_loop_ || body == stream_) refuse_loop("within another, or in the stream around it");
  const CurrentContext current(*driver_);
  setter.prepare(*driver_);
  is_in_loop_ = true;
  open_loop_ = std::make_unique<RecordedLoop>(driver_, setter, stream_, body, told, condition);
}

void Recording::end_loop() {
  if (open_loop_ == nullptr) refuse_loop("that has not begun");
  const std::unique_ptr<RecordedLoop> loop = std::move(open_loop_);
  loop->finish();
  loops_.emplace_back(loop->node(), loop->nodes());
  is_in_loop_ = false;
}

void Recording::refuse_loop(const char* which) const {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + driver_->place() + ": " +
                                                   text_of(announced_.back().op) + " has a loop " +
                                                   which +
                                                   "; loops follow each other, each in a stream of "
                                                   "its own between loop_begin and loop_end");
}

// A recording that is invalid ends with an error, and the stream is free all the same.
void Recording::abort() {
  open_loop_.reset();
  CUgraph graph = nullptr;
  if (end(graph) == CUDA_SUCCESS) (*driver_)->cuGraphDestroy(graph);
}

}  // namespace loci::cuda_graph
