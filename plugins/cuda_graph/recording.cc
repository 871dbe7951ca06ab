#include "recording.h"

#include <algorithm>
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

std::size_t Recording::find_announced(std::uint64_t item) const {
  const auto begin = announced_.begin() + 1;  // behind work that was not announced
  const auto end = announced_.end() - 1;
  const auto found = begin >= end ? end
                                  : std::lower_bound(begin, end, item,
                                                     [](const Announced& each, std::uint64_t of) {
                                                       return each.op.item < of;
                                                     });
  if (found != end && found->op.item == item) {
    return static_cast<std::size_t>(found - announced_.begin());
  }
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + driver_->place() + ": " +
                                                   text_of(announced_.back().op) +
                                                   " is to wait for item " + std::to_string(item) +
                                                   ", which was not announced before it");
}

void Recording::depend(const std::uint64_t* items, std::uint64_t count) {
  // In the order of the items: by that of edges the driver finds the nodes of an update.
  std::vector<CUgraphNode> nodes;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (CUgraphNode tip : tips_behind(find_announced(items[i]))) {
      if (std::find(nodes.begin(), nodes.end(), tip) == nodes.end()) nodes.push_back(tip);
    }
  }
  const CurrentContext current(*driver_);
  driver_->check((*driver_)->update_dependencies(stream_, nodes.data(), nullptr, nodes.size(),
                                                 CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                 "forking a graph");
}

CUresult Recording::end_stream(CUgraph& graph) const {
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
  const bool is_complete = open_.empty() && !is_broken_;
  close_all();
  std::vector<CUgraphNode> tips;
  const std::string what =
      read_tips(tips) ? "ending a recording" : "ending a recording that became invalid";
  CUgraph graph = nullptr;
  driver_->check(end_stream(graph), what + " behind " + text_of(announced_.back().op));
  const auto captured = std::make_shared<Captured>(driver_, graph);
  if (!is_complete) refuse("a loop or a branch that has not ended");
  for (const ConditionalNode& node : conditionals_) captured->add_conditional(node);
  for (std::size_t i = 0; i < announced_.size(); ++i) {
    const bool is_last = i + 1 == announced_.size();
    captured->add(std::move(announced_[i].op), is_last ? tips : announced_[i + 1].tips);
  }
  return captured;
}

bool Recording::records(CUstream stream) const {
  return stream == stream_ || std::any_of(open_.begin(), open_.end(), [stream](const auto& each) {
           return each->body() == stream;
         });
}

// One that fails on its way leaves a node that would go on for ever, so that the graph is given up.
void Recording::begin(RecordedControl::Kind kind, ConditionSetter& setter, CUstream around,
                      CUstream body, cuda::StreamRecording& told, CUdeviceptr condition) {
  const CUstream innermost = open_.empty() ? stream_ : open_.back()->body();
  if (is_broken_) refuse("a loop or a branch behind one that failed");
  if (around != innermost)
    refuse("a loop or a branch in a stream that another one has interrupted");
  if (records(body)) refuse("a loop or a branch whose body is a stream around it");
  const CurrentContext current(*driver_);
  setter.prepare(*driver_);
  is_broken_ = true;
  open_.push_back(
      std::make_unique<RecordedControl>(driver_, setter, kind, around, body, told, condition));
  is_broken_ = false;
}

RecordedControl& Recording::innermost(RecordedControl::Kind kind, CUstream around) const {
  const bool is_it = !is_broken_ && !open_.empty() && open_.back()->kind() == kind &&
                     open_.back()->around() == around;
  if (!is_it) {
    refuse(kind == RecordedControl::Kind::kLoop ? "the end of a loop that is not what began last"
                                                : "a part of a branch that is not what began last");
  }
  return *open_.back();
}

void Recording::begin_other(CUstream around) {
  RecordedControl& branch = innermost(RecordedControl::Kind::kBranch, around);
  if (branch.is_last()) refuse("a branch of more than two parts");
  is_broken_ = true;
  branch.begin_other();
  is_broken_ = false;
}

CUstream Recording::end(RecordedControl::Kind kind, CUstream around) {
  if (!innermost(kind, around).is_last()) refuse("a branch that ends without its other part");
  is_broken_ = true;
  const std::unique_ptr<RecordedControl> ended = std::move(open_.back());
  open_.pop_back();
  ended->finish();
  is_broken_ = false;
  if (open_.empty()) {
    conditionals_.insert(conditionals_.end(), ended->nodes().begin(), ended->nodes().end());
  } else {
    open_.back()->add_inner(*ended);
  }
  return ended->body();
}

void Recording::refuse(const char* what) const {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda_graph] " + driver_->place() + ": " + text_of(announced_.back().op) +
                       " has " + what +
                       "; they follow each other or are in one another, each body in a stream of "
                       "its own, and a branch has two");
}

void Recording::close_all() {
  while (!open_.empty()) open_.pop_back();
}

// A recording that is invalid ends with an error, and the stream is free all the same.
void Recording::abort() {
  close_all();
  CUgraph graph = nullptr;
  if (end_stream(graph) == CUDA_SUCCESS) (*driver_)->cuGraphDestroy(graph);
}

}  // namespace loci::cuda_graph
