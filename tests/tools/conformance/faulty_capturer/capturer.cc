#include "capturer.h"

#include <algorithm>
#include <utility>

#include "device.h"
#include "plugin.h"
#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {
namespace {

// So that the compiler does not leave the leak out.
std::atomic<std::vector<char>*> leaked{nullptr};

void leak() { leaked = new std::vector<char>(1000); }

// Live executables, of the fault few_executables.
std::atomic<int> executables{0};

[[noreturn]] void refuse_update(const std::string& why) {
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] the graph is another one" +
                                              (has("update_says_nothing") ? "" : ": " + why));
}

void run_all(const Nodes& nodes, const loci_graph_launch& launch, Source& source);

bool holds(const Control& control) { return *static_cast<const char*>(control.condition) != 0; }

void run_loop(const Control& loop, const loci_graph_launch& launch, Source& source) {
  if (has("loop_looks_behind")) run_all(loop.bodies[0], launch, source);
  while (holds(loop)) {
    run_all(loop.bodies[0], launch, source);
    if (has("loop_runs_once")) return;
  }
}

void run_branch(const Control& branch, const loci_graph_launch& launch, Source& source) {
  const bool is_first = holds(branch);
  if (is_first) run_all(branch.bodies[0], launch, source);
  if (has("branch_never_else")) return;
  const bool is_second = !is_first || (has("branch_looks_twice") && !holds(branch));
  if (is_second || has("branch_does_both")) run_all(branch.bodies[1], launch, source);
}

void run(const Node& node, const loci_graph_launch& launch, Source& source) {
  if (node.control != nullptr) {
    return node.control->is_loop ? run_loop(*node.control, launch, source)
                                 : run_branch(*node.control, launch, source);
  }
  Work work = node.work;
  // The correlation is of the item behind it, and for the last one of five that of the first.
  const std::uint64_t item = has("fork_moves_records") ? node.item % 5 + 1 : node.item;
  work.correlation = launch.correlation + (has("one_correlation") ? 0 : item);
  work.graph = launch.graph;
  work.replay = has("no_replay_number") ? 0 : launch.replay;
  const std::uint64_t begin = now_ns();
  node.body(node.arguments);
  source.add(work, begin, now_ns());
}

void run_all(const Nodes& nodes, const loci_graph_launch& launch, Source& source) {
  for (const Node& node : nodes) {
    if (node.control == nullptr || !has("loop_comes_last")) run(node, launch, source);
  }
  for (const Node& node : nodes) {
    if (node.control != nullptr && has("loop_comes_last")) run(node, launch, source);
  }
}

bool has_control(const Nodes& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node& node) { return node.control != nullptr; });
}

}  // namespace

CapturingDevice& CapturedDevice::device() const {
  return *static_cast<CapturingDevice*>(handles.get("captures.device"));
}

CapturingStream& CapturedDevice::stream(loci_stream* stream) const {
  return *static_cast<CapturingStream*>(handles.get("captures.stream", stream));
}

FaultyCapturer::FaultyCapturer(FaultyCapturerPlugin& plugin, std::uint32_t,
                               const sdk::NativeHandles& handles)
    : device_(std::make_shared<const CapturedDevice>(CapturedDevice{handles, plugin.host()})) {
  if (has("cannot_open")) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] it cannot be opened");
  }
  static std::atomic<int> opened{0};
  if (has("opens_once") && ++opened > 1) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] it was opened before");
  }
  if (has("any_device") || handles.get("captures.device") != nullptr) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] the device offers no captures.device");
}

void FaultyCapturer::begin(loci_stream* stream) { device_->stream(stream).begin(); }

void FaultyCapturer::annotate(loci_stream* stream, std::string_view op, std::uint64_t item) {
  device_->stream(stream).annotate(op, item);
}

void FaultyCapturer::depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count) {
  device_->stream(stream).depend({items, items + count});
}

std::unique_ptr<FaultyGraph> FaultyCapturer::end(loci_stream* stream) {
  Nodes nodes = device_->stream(stream).end();
  if (nodes.empty() && has("refuses_empty")) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] nothing was recorded");
  }
  return std::make_unique<FaultyGraph>(device_, std::move(nodes), stream);
}

void FaultyCapturer::abort(loci_stream* stream) { device_->stream(stream).abort(); }

std::uint32_t FaultyCapturer::status(loci_stream* stream) const {
  return device_->stream(stream).status();
}

void FaultyCapturer::loop_begin(loci_stream* stream, loci_stream* body, const void* condition) {
  device_->stream(stream).begin_control(true, device_->stream(body), condition);
}

void FaultyCapturer::loop_end(loci_stream* stream) { device_->stream(stream).end_control(true); }

void FaultyCapturer::branch_begin(loci_stream* stream, loci_stream* body, const void* condition) {
  device_->stream(stream).begin_control(false, device_->stream(body), condition);
}

void FaultyCapturer::branch_else(loci_stream* stream) { device_->stream(stream).begin_other(); }

void FaultyCapturer::branch_end(loci_stream* stream) { device_->stream(stream).end_control(false); }

FaultyGraph::~FaultyGraph() {
  if (has("graph_takes_executables")) nodes_->clear();
}

void FaultyGraph::stats(loci_graph_stats& stats) const {
  for (const Node& node : *nodes_) {
    if (node.control != nullptr) {
      ++stats.others;
      continue;
    }
    switch (node.work.kind) {
      case LOCI_DEVICE_WORK_KERNEL: ++stats.kernels; break;
      case LOCI_DEVICE_WORK_COPY: ++stats.copies; break;
      default: ++stats.fills; break;
    }
  }
  if (has("counts_nothing")) stats.kernels = stats.copies = 0;
  stats.bytes = sizeof(Node) * (nodes_->size() + 1);
}

std::string FaultyGraph::dump() const {
  std::string text;
  for (const Node& node : *nodes_) text += node.name + (has("short_dump") ? "," : "\n");
  return text;
}

std::unique_ptr<FaultyExec> FaultyGraph::instantiate() const {
  if (has("leaks_graph")) leak();
  if (has("leaks_host_memory")) static_cast<void>(device_->host.allocate(100, 64));
  if (has("takes_device_memory")) device_->device().take(std::uint64_t{4} << 10);
  if (has("few_executables") && executables >= 50) {
    throw sdk::Error(LOCI_CODE_FAILED, "[captures] there are 50 executables");
  }
  ++executables;
  // A copy, unless executables share what one of them ends.
  const bool shares = has("graph_takes_executables") || has("executables_share");
  auto exec =
      std::make_unique<FaultyExec>(device_, shares ? nodes_ : std::make_shared<Nodes>(*nodes_));
  if (has("instantiate_runs")) exec->launch({sizeof(loci_graph_launch), 0, 0, 0, stream_});
  return exec;
}

FaultyExec::~FaultyExec() {
  --executables;
  *is_gone_ = true;
  if (has("executables_share")) nodes_->clear();
}

void FaultyExec::launch(const loci_graph_launch& launch) {
  CapturingStream& stream = device_->stream(launch.stream);
  stream.require_plain("a graph is launched", "");
  const std::lock_guard lock(mutex_);
  if (has("launches_once") && ++launches_ > 1) return;
  const auto task = [nodes = nodes_, launch, &source = device_->device().source(),
                     is_gone = is_gone_] {
    if (has("destroy_cancels") && *is_gone) return;
    run_all(*nodes, launch, source);
  };
  if (has("launch_ignores_stream")) return task();
  const bool moves = latest_stream_ != nullptr && latest_stream_ != &stream;
  if (has("launches_in_one_stream") && moves) return latest_stream_->run(task);
  if (moves && !has("launches_overlap")) stream.run([mark = latest_] { mark.wait(); });
  stream.run(task);
  latest_ = stream.mark();
  latest_stream_ = &stream;
}

void FaultyExec::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<Nodes>(*nodes_);
  const auto found = std::find_if(changed->begin(), changed->end(),
                                  [item](const Node& node) { return node.item == item; });
  const bool is_there = found != changed->end() && argument < found->arguments.size();
  if (!is_there && has("patches_anything")) return;
  if (!is_there) throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[captures] no such argument");
  if (found->control != nullptr && !has("changes_loops")) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] the item is a loop or a branch");
  }
  if (has("patch_does_nothing")) return;
  found->arguments[argument] = address;
  replace(std::move(changed), has("patch_hits_queued"));
  is_patched_ = true;
  if (has("patch_spoils")) throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] it cannot patch");
}

void FaultyExec::update(const FaultyGraph& graph) {
  const std::lock_guard lock(mutex_);
  const Nodes& later = *graph.nodes();
  const bool has_controls = has_control(*nodes_) || has_control(later);
  if (has_controls && !has("changes_loops")) refuse_update("node 0 has loops or branches");
  for (std::size_t i = 0; i < std::min(nodes_->size(), later.size()); ++i) {
    if ((*nodes_)[i].work.kind == later[i].work.kind || has("updates_anything")) continue;
    refuse_update("node " + std::to_string(i) + " is another one");
  }
  if (nodes_->size() != later.size() && !has("updates_anything")) {
    refuse_update("it has " + std::to_string(later.size()) + " nodes");
  }
  if (has("update_does_nothing") || (is_patched_ && has("patched_is_not_updated"))) return;
  replace(std::make_shared<Nodes>(later), has("update_hits_queued"));
}

void FaultyExec::replace(SharedNodes nodes, bool also_queued) {
  if (also_queued) {
    *nodes_ = *nodes;
  } else {
    nodes_ = std::move(nodes);
  }
}

}  // namespace loci::faulty
