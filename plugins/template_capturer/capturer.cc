#include "capturer.h"

namespace sample_plugin {
namespace {

using loci::sdk::Error;

const GraphFunctions& functions_of(const loci::sdk::NativeHandles& handles) {
  const void* functions = handles.get("sample.graphs");
  if (functions != nullptr) return *static_cast<const GraphFunctions*>(functions);
  throw Error(LOCI_CODE_UNSUPPORTED, "[sample_graph] the device offers no sample.graphs");
}

void check(const char* failure, loci_code code = LOCI_CODE_FAILED) {
  if (failure != nullptr) throw Error(code, failure);
}

}  // namespace

GraphStream* Driver::stream(loci_stream* stream) const {
  return static_cast<GraphStream*>(handles.get("sample.stream", stream));
}

SampleCapturer::SampleCapturer(SampleGraphPlugin&, std::uint32_t,
                               const loci::sdk::NativeHandles& handles)
    : driver_(std::make_shared<const Driver>(Driver{functions_of(handles), handles})) {}

void SampleCapturer::begin(loci_stream* stream) {
  check(driver_->functions.begin(driver_->stream(stream)));
}

void SampleCapturer::annotate(loci_stream* stream, std::string_view op, std::uint64_t item) {
  check(driver_->functions.annotate(driver_->stream(stream), op.data(), op.size(), item));
}

std::unique_ptr<CapturedGraph> SampleCapturer::end(loci_stream* stream) {
  sample_plugin::Graph* graph = nullptr;
  check(driver_->functions.end(driver_->stream(stream), &graph));
  return std::make_unique<CapturedGraph>(driver_, graph);
}

void SampleCapturer::abort(loci_stream* stream) {
  driver_->functions.abort(driver_->stream(stream));
}

std::uint32_t SampleCapturer::status(loci_stream* stream) const {
  return driver_->functions.status(driver_->stream(stream));
}

void CapturedGraph::stats(loci_graph_stats& stats) const {
  const std::size_t count = driver_->functions.task_count(handle_);
  for (std::size_t i = 0; i < count; ++i) {
    switch (driver_->functions.task(handle_, i).kind) {
      case TaskKind::kKernel: ++stats.kernels; break;
      case TaskKind::kCopy: ++stats.copies; break;
      case TaskKind::kFill: ++stats.fills; break;
    }
  }
  stats.bytes = (count + 1) * sizeof(TaskInfo);
}

std::string CapturedGraph::dump() const {
  std::string text;
  for (std::size_t i = 0; i < driver_->functions.task_count(handle_); ++i) {
    const TaskInfo task = driver_->functions.task(handle_, i);
    text += std::to_string(i) + " " + task.name + ", item " + std::to_string(task.item) + "\n";
  }
  return text;
}

std::unique_ptr<CapturedExec> CapturedGraph::instantiate() const {
  Executable* executable = nullptr;
  check(driver_->functions.instantiate(handle_, &executable));
  return std::make_unique<CapturedExec>(driver_, executable);
}

void CapturedExec::launch(const loci_graph_launch& launch) {
  check(driver_->functions.launch(handle_, driver_->stream(launch.stream), launch.correlation));
}

// The backend's tasks do not say where their arguments are: the host records anew and updates.
void CapturedExec::patch(std::uint64_t, std::uint32_t, void*) {
  throw Error(LOCI_CODE_UNSUPPORTED, "[sample_graph] arguments of a task cannot be exchanged");
}

void CapturedExec::update(const CapturedGraph& graph) {
  check(driver_->functions.update(handle_, graph.handle()), LOCI_CODE_UNSUPPORTED);
}

}  // namespace sample_plugin
