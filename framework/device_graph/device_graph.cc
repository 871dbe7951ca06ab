#include "framework/device_graph/device_graph.h"

#include <atomic>
#include <utility>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/profiler/parts.h"

namespace loci::device_graph {
namespace {

// A stream that records, until end() or its own end.
class RecordingStream {
 public:
  RecordingStream(Capturer& capturer, loci_stream* stream) : capturer_(capturer), stream_(stream) {
    capturer_.device().check(capturer_.api().begin(capturer_.handle(), stream_),
                             "beginning a graph");
  }
  ~RecordingStream() {
    if (stream_ == nullptr) return;
    try {
      capturer_.device().check(capturer_.api().abort(capturer_.handle(), stream_),
                               "giving a graph up");
    } catch (const Error& error) {
      core::log(core::Module::kCapture, core::Level::kError, "{}", error.what());
    }
  }
  RecordingStream(const RecordingStream&) = delete;
  RecordingStream& operator=(const RecordingStream&) = delete;

  void announce(const std::string& op, std::size_t item) const {
    const loci_capture_op announced{sizeof announced, 0, core::to_abi(op), item};
    capturer_.device().check(capturer_.api().annotate(capturer_.handle(), stream_, &announced),
                             "annotating a graph");
  }
  // Makes the announced item wait for those of `items` in this graph, whose first one is `first`.
  void depend(const std::vector<std::uint32_t>& items, std::size_t first) const {
    std::vector<std::uint64_t> within;
    for (const std::uint32_t item : items) {
      if (item >= first) within.push_back(item);
    }
    capturer_.device().check(
        capturer_.api().depend(capturer_.handle(), stream_, within.data(), within.size()),
        "forking a graph");
  }
  // The stream is free by it, whether or not there is a graph.
  [[nodiscard]] loci_graph* end() {
    loci_graph* graph = nullptr;
    loci_stream* stream = std::exchange(stream_, nullptr);
    capturer_.device().check(capturer_.api().end(capturer_.handle(), stream, &graph),
                             "ending a graph");
    return graph;
  }

 private:
  Capturer& capturer_;
  loci_stream* stream_;
};

std::atomic<std::uint64_t> last_number{0};

void append(void* text, loci_str part) {
  static_cast<std::string*>(text)->append(core::optional_from_abi(part));
}

}  // namespace

std::uint64_t next_graph_number() noexcept { return ++last_number; }

DeviceGraph::DeviceGraph(std::shared_ptr<Capturer> capturer, const GraphItems& items,
                         std::size_t first, std::size_t last)
    : capturer_(std::move(capturer)) {
  const std::lock_guard lock(capturer_->mutex());
  loci_stream* stream = capturer_->stream();
  RecordingStream recording(*capturer_, stream);
  for (std::size_t item = first; item < last; ++item) {
    recording.announce(items.type(item), item);
    const std::vector<std::uint32_t>* dependencies = items.dependencies(item);
    if (dependencies != nullptr && capturer_->has_forks()) recording.depend(*dependencies, first);
    items.issue_captured(item, capturer_->device(), stream);
  }
  handle_ = recording.end();
  capturer_->plugin().retain();
}

DeviceGraph::~DeviceGraph() {
  if (capturer_->device().is_out_of_reach()) return;
  capturer_->api().destroy_graph(handle_);
  capturer_->plugin().release();
}

loci_graph_stats DeviceGraph::stats() const {
  loci_graph_stats stats{};
  stats.struct_size = sizeof stats;
  capturer_->device().check(capturer_->api().stats(handle_, &stats), "asking for a graph's stats");
  return stats;
}

std::string DeviceGraph::dump() const {
  std::string text;
  capturer_->device().check(capturer_->api().dump(handle_, &append, &text), "dumping a graph");
  return text;
}

Executable::Executable(std::shared_ptr<Capturer> capturer, const GraphItems& items,
                       std::size_t first, std::size_t last)
    : capturer_(std::move(capturer)),
      first_(first),
      last_(last),
      graph_(std::make_unique<DeviceGraph>(capturer_, items, first, last)),
      handle_(instantiate(*graph_)) {
  items.visit_addresses(first, last,
                        [this](const Address& now) { addresses_.push_back(now.data); });
}

Executable::~Executable() { destroy(); }

loci_graph_exec* Executable::instantiate(const DeviceGraph& graph) const {
  const profiler::Scope scope(label_of(profiler::Part::kInstantiateGraph));
  loci_graph_exec* made = nullptr;
  capturer_->device().check(capturer_->api().instantiate(graph.handle(), &made),
                            "instantiating a graph");
  capturer_->plugin().retain();
  return made;
}

void Executable::destroy() noexcept {
  if (capturer_->device().is_out_of_reach()) return;
  capturer_->api().destroy_exec(handle_);
  capturer_->plugin().release();
}

void Executable::launch(const loci_graph_launch& launch) {
  capturer_->device().check(capturer_->api().launch(handle_, &launch), "launching a graph");
}

void Executable::follow(const GraphItems& items, Exchanges* done) {
  std::size_t next = 0;
  bool is_patched = !std::exchange(is_behind_, true);
  items.visit_addresses(first_, last_, [&](const Address& now) {
    void*& known = addresses_[next++];
    if (known == now.data) return;
    is_patched = is_patched && patch(now, done);
    known = now.data;
  });
  if (!is_patched) recapture(items, done);
  is_behind_ = false;
}

// False where the capturer cannot exchange it.
bool Executable::patch(const Address& now, Exchanges* done) const {
  if (now.argument == Address::kWorkspace) return false;
  if (loci_error* error = capturer_->api().patch(handle_, now.item, now.argument, now.data)) {
    const Error refusal = core::take_error(error);
    if (refusal.code() != ErrorCode::kUnsupported) throw refusal;
    core::log(core::Module::kCapture, core::Level::kDebug, "a graph is recorded again: {}",
              refusal.what());
    return false;
  }
  ++done->patches;
  return true;
}

// Launches that are queued go on with what they have; the caller has waited for them nevertheless.
void Executable::recapture(const GraphItems& items, Exchanges* done) {
  const profiler::Scope scope(label_of(profiler::Part::kCaptureGraph));
  auto graph = std::make_unique<DeviceGraph>(capturer_, items, first_, last_);
  ++done->recaptures;
  if (loci_error* error = capturer_->api().update(handle_, graph->handle())) {
    const Error refusal = core::take_error(error);
    if (refusal.code() != ErrorCode::kUnsupported) throw refusal;
    core::log(core::Module::kCapture, core::Level::kDebug, "a graph is instantiated again: {}",
              refusal.what());
    loci_graph_exec* again = instantiate(*graph);
    destroy();
    handle_ = again;
    ++done->reinstantiations;
  }
  graph_ = std::move(graph);
}

}  // namespace loci::device_graph
