#include "plugins/sim_graph/capturer.h"

#include <utility>

#include "plugins/sim_graph/plugin.h"

namespace loci::sim_graph {
namespace {

const sim::GraphDriver& functions_of(std::uint32_t index, const sdk::NativeHandles& handles) {
  const void* functions = handles.get("sim.graphs");
  if (functions != nullptr) return *static_cast<const sim::GraphDriver*>(functions);
  throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                   "[sim_graph] sim:" + std::to_string(index) +
                       " offers no graphs (sim.graphs); leave its setting graphs at 1");
}

std::string waits_of(std::uint64_t number, const sim::DriverNode& node) {
  const bool is_next =
      number == 0 ? node.before_count == 0 : node.before_count == 1 && node.before[0] + 1 == number;
  if (is_next) return {};
  std::string text = node.before_count == 0 ? ", behind nothing" : "";
  for (std::uint64_t i = 0; i < node.before_count; ++i) {
    text += (i == 0 ? ", behind " : " and ") + std::to_string(node.before[i]);
  }
  return text;
}

}  // namespace

sim::Stream* Driver::stream(loci_stream* stream) const {
  void* handle = stream == nullptr ? nullptr : handles.get("sim.stream", stream);
  if (handle != nullptr) return static_cast<sim::Stream*>(handle);
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[sim_graph] there is no stream; give one of the device's");
}

void Driver::check(std::int32_t code) const {
  if (code != 0) throw sdk::Error(code, functions.message());
}

Capturer::Capturer(SimGraphPlugin& plugin, std::uint32_t index, const sdk::NativeHandles& handles)
    : driver_(std::make_shared<const Driver>(
          Driver{functions_of(index, handles), handles, plugin.faults()})) {}

void Capturer::begin(loci_stream* stream) {
  driver_->check(driver_->functions.begin(driver_->stream(stream)));
}

void Capturer::annotate(loci_stream* stream, std::string_view op, std::uint64_t item) {
  driver_->check(
      driver_->functions.annotate(driver_->stream(stream), {op.data(), op.size()}, item));
}

void Capturer::depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count) {
  driver_->check(driver_->functions.depend(driver_->stream(stream), items, count));
}

std::unique_ptr<Graph> Capturer::end(loci_stream* stream) {
  sim::DriverGraph* graph = nullptr;
  driver_->check(driver_->functions.end(driver_->stream(stream), &graph));
  auto owned = std::make_unique<Graph>(driver_, graph);
  enter(driver_->faults.end, LOCI_CODE_FAILED, "end");
  return owned;
}

void Capturer::abort(loci_stream* stream) {
  driver_->check(driver_->functions.abort(driver_->stream(stream)));
}

std::uint32_t Capturer::status(loci_stream* stream) const {
  switch (driver_->functions.status(driver_->stream(stream))) {
    case sim::DriverCapture::kNone: break;
    case sim::DriverCapture::kActive: return LOCI_CAPTURE_ACTIVE;
    case sim::DriverCapture::kInvalid: return LOCI_CAPTURE_INVALID;
  }
  return LOCI_CAPTURE_NONE;
}

void Graph::stats(loci_graph_stats& stats) const {
  const sim::GraphDriver& functions = driver_->functions;
  for (std::uint64_t i = 0; i < functions.node_count(graph_); ++i) {
    switch (functions.node(graph_, i).kind) {
      case sim::DriverNode::Kind::kKernel: ++stats.kernels; break;
      case sim::DriverNode::Kind::kCopy: ++stats.copies; break;
      case sim::DriverNode::Kind::kFill: ++stats.fills; break;
      case sim::DriverNode::Kind::kOther: ++stats.others; break;
    }
  }
  stats.bytes = functions.bytes(graph_);
}

std::string Graph::dump() const {
  const sim::GraphDriver& functions = driver_->functions;
  std::string text;
  for (std::uint64_t i = 0; i < functions.node_count(graph_); ++i) {
    const sim::DriverNode node = functions.node(graph_, i);
    text += std::to_string(i) + " " + std::string(node.name.data, node.name.size) + ", item " +
            std::to_string(node.item) + waits_of(i, node) + "\n";
  }
  return text;
}

std::unique_ptr<Exec> Graph::instantiate() const {
  enter(driver_->faults.instantiate, LOCI_CODE_FAILED, "instantiate");
  sim::DriverExec* exec = nullptr;
  driver_->check(driver_->functions.instantiate(graph_, &exec));
  return std::make_unique<Exec>(driver_, exec);
}

void Exec::launch(const loci_graph_launch& launch) {
  enter(driver_->faults.launch, LOCI_CODE_FAILED, "launch");
  const sim::DriverLaunch given{launch.graph, launch.replay, launch.correlation};
  driver_->check(driver_->functions.launch(exec_, driver_->stream(launch.stream), &given));
}

void Exec::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  enter_for_good(driver_->faults.patch, LOCI_CODE_UNSUPPORTED, "patch");
  driver_->check(driver_->functions.patch(exec_, item, argument, address));
}

void Exec::update(const Graph& graph) {
  enter_for_good(driver_->faults.update, LOCI_CODE_UNSUPPORTED, "update");
  driver_->check(driver_->functions.update(exec_, graph.handle()));
}

}  // namespace loci::sim_graph
