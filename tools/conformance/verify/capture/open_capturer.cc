#include "tools/conformance/verify/capture/open_capturer.h"

namespace loci::verify {

OpenCapturer::OpenCapturer(const CapturePair& pair)
    : backend_(std::make_unique<Instance>(pair.backend)),
      own_(pair.capturer.manifest.id == pair.backend.manifest.id
               ? nullptr
               : std::make_unique<Instance>(pair.capturer)),
      device_(std::make_unique<OpenDevice>(*backend_, pair.backend.index)),
      api_(capturer().capture_api()) {
  device_->require_streams();
  const loci_native_handles handles{sizeof handles, 0, device_.get(), native_handle};
  try {
    call_checked("open of the capturer", [&] {
      return api_.open(capturer().handle(), pair.backend.index, &handles, &handle_);
    });
  } catch (const PluginError& error) {
    if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
    skip("the capturer declines the device: {}", error.what());
  }
  if (handle_ == nullptr) fail("open succeeded without giving a capturer");
}

OpenCapturer::~OpenCapturer() { close(); }

void OpenCapturer::close() {
  if (handle_ != nullptr) {
    note_call("close of the capturer");
    api_.close(std::exchange(handle_, nullptr));
  }
  device_.reset();
}

loci_error* OpenCapturer::native_handle(void* context, loci_stream* stream, loci_str name,
                                        void** out_handle) {
  const auto& device = *static_cast<OpenDevice*>(context);
  *out_handle = nullptr;
  if (device.api().native_handle == nullptr) return nullptr;
  return device.api().native_handle(device.handle(), stream, name, out_handle);
}

void OpenCapturer::begin(const Stream& stream) {
  call_checked("begin", [&] { return api_.begin(handle_, stream.get()); });
}

void OpenCapturer::annotate(const Stream& stream, std::string_view op, std::uint64_t item) {
  const loci_capture_op given{sizeof given, 0, to_abi(op), item};
  call_checked("annotate", [&] { return api_.annotate(handle_, stream.get(), &given); });
}

CapturedGraph OpenCapturer::end(const Stream& stream) {
  loci_graph* graph = nullptr;
  call_checked("end", [&] { return api_.end(handle_, stream.get(), &graph); });
  if (graph == nullptr) fail("end succeeded without giving a graph");
  return {api_, graph};
}

void OpenCapturer::abort(const Stream& stream) {
  call_checked("abort", [&] { return api_.abort(handle_, stream.get()); });
}

std::uint32_t OpenCapturer::status(const Stream& stream) {
  std::uint32_t status = UINT32_MAX;
  call_checked("status", [&] { return api_.status(handle_, stream.get(), &status); });
  if (status > LOCI_CAPTURE_INVALID) fail("status gave {}, which is none", status);
  return status;
}

void OpenCapturer::begin_control(const char* what, Begin begin, const Stream& stream,
                                 const Stream& body, const void* condition) {
  if (begin == nullptr) skip("the capturer has no {}", what);
  try {
    call_checked(what, [&] { return begin(handle_, stream.get(), body.get(), condition); });
  } catch (const PluginError& error) {
    if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
    skip("{} is unsupported here: {}", what, error.what());
  }
}

void OpenCapturer::loop_begin(const Stream& stream, const Stream& body, const void* condition) {
  begin_control("loop_begin", api_.loop_begin, stream, body, condition);
}

void OpenCapturer::branch_begin(const Stream& stream, const Stream& body, const void* condition) {
  begin_control("branch_begin", api_.branch_begin, stream, body, condition);
}

void OpenCapturer::loop_end(const Stream& stream) {
  call_checked("loop_end", [&] { return api_.loop_end(handle_, stream.get()); });
}

void OpenCapturer::branch_else(const Stream& stream) {
  call_checked("branch_else", [&] { return api_.branch_else(handle_, stream.get()); });
}

void OpenCapturer::branch_end(const Stream& stream) {
  call_checked("branch_end", [&] { return api_.branch_end(handle_, stream.get()); });
}

void OpenCapturer::depend(const Stream& stream, const std::vector<std::uint64_t>& items) {
  if (api_.depend == nullptr) skip("the capturer has no depend");
  call_checked("depend",
               [&] { return api_.depend(handle_, stream.get(), items.data(), items.size()); });
}

void Executable::launch(const Stream& stream, std::uint64_t correlation, std::uint32_t graph,
                        std::uint64_t replay) {
  const loci_graph_launch given{sizeof given, graph, replay, correlation, stream.get()};
  call_checked("launch of a graph", [&] { return api_->launch(handle_, &given); });
}

bool Executable::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  try {
    call_checked("patch", [&] { return api_->patch(handle_, item, argument, address); });
    return true;
  } catch (const PluginError& error) {
    if (error.code() == LOCI_CODE_UNSUPPORTED) return false;
    throw;
  }
}

std::string Executable::update(const CapturedGraph& graph) {
  try {
    call_checked("update", [&] { return api_->update(handle_, graph.get()); });
    return {};
  } catch (const PluginError& error) {
    if (error.code() == LOCI_CODE_UNSUPPORTED) return error.what();
    throw;
  }
}

void Executable::destroy() {
  if (handle_ == nullptr) return;
  note_call("destroy_exec");
  api_->destroy_exec(std::exchange(handle_, nullptr));
}

loci_graph_stats CapturedGraph::stats() const {
  loci_graph_stats stats{};
  stats.struct_size = sizeof stats;
  call_checked("stats", [&] { return api_->stats(handle_, &stats); });
  if (stats.struct_size != sizeof stats) fail("stats changed the struct_size of the host");
  return stats;
}

std::uint64_t CapturedGraph::nodes() const {
  const loci_graph_stats counted = stats();
  return counted.kernels + counted.copies + counted.fills + counted.others;
}

std::string CapturedGraph::dump() const {
  std::string text;
  const auto write = [](void* context, loci_str piece) {
    *static_cast<std::string*>(context) += view(piece);
  };
  call_checked("dump", [&] { return api_->dump(handle_, write, &text); });
  return text;
}

Executable CapturedGraph::instantiate() const {
  loci_graph_exec* exec = nullptr;
  call_checked("instantiate", [&] { return api_->instantiate(handle_, &exec); });
  if (exec == nullptr) fail("instantiate succeeded without giving an executable");
  return {*api_, exec};
}

void CapturedGraph::destroy() {
  if (handle_ == nullptr) return;
  note_call("destroy_graph");
  api_->destroy_graph(std::exchange(handle_, nullptr));
}

}  // namespace loci::verify
