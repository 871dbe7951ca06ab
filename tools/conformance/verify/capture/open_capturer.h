// A capturer of an open device, with what it captures as objects that give back what they hold.
// Every function throws PluginError or CheckFailed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/conformance/verify/capture/capture_pair.h"
#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

class CapturedGraph;

class OpenCapturer {
 public:
  // Skips the check if there is no such device, or the capturer declines it.
  explicit OpenCapturer(const CapturePair& pair);
  ~OpenCapturer();
  OpenCapturer(const OpenCapturer&) = delete;
  OpenCapturer& operator=(const OpenCapturer&) = delete;

  [[nodiscard]] OpenDevice& device() { return *device_; }
  [[nodiscard]] Instance& backend() { return *backend_; }
  // The backend's, where one plugin is both.
  [[nodiscard]] Instance& capturer() { return own_ == nullptr ? *backend_ : *own_; }
  [[nodiscard]] const loci_capture_api& api() const { return api_; }

  void begin(const Stream& stream);
  void annotate(const Stream& stream, std::string_view op, std::uint64_t item);
  CapturedGraph end(const Stream& stream);
  void abort(const Stream& stream);
  std::uint32_t status(const Stream& stream);
  // Skip the check where the capturer has none, or cannot record any here.
  void loop_begin(const Stream& stream, const Stream& body, const void* condition);
  void branch_begin(const Stream& stream, const Stream& body, const void* condition);
  void loop_end(const Stream& stream);
  void branch_else(const Stream& stream);
  void branch_end(const Stream& stream);
  // Likewise.
  void depend(const Stream& stream, const std::vector<std::uint64_t>& items);
  // Closes the capturer and then the device, once; the destructor does so too.
  void close();

 private:
  using Begin = decltype(loci_capture_api::loop_begin);
  void begin_control(const char* what, Begin begin, const Stream& stream, const Stream& body,
                     const void* condition);
  static loci_error* native_handle(void* context, loci_stream* stream, loci_str name,
                                   void** out_handle);

  std::unique_ptr<Instance> backend_;
  std::unique_ptr<Instance> own_;  // NULL where one plugin is both
  std::unique_ptr<OpenDevice> device_;
  loci_capture_api api_{};
  loci_capturer* handle_ = nullptr;
};

class Executable {
 public:
  Executable(const loci_capture_api& api, loci_graph_exec* handle) : api_(&api), handle_(handle) {}
  ~Executable() { destroy(); }
  Executable(Executable&& other) noexcept
      : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  Executable& operator=(Executable&&) = delete;

  // `correlation` of item 0.
  void launch(const Stream& stream, std::uint64_t correlation = 0, std::uint32_t graph = 0,
              std::uint64_t replay = 0);
  // False if the capturer says that it cannot.
  bool patch(std::uint64_t item, std::uint32_t argument, void* address);
  // The refusal; empty if it was updated.
  std::string update(const CapturedGraph& graph);
  void destroy();

 private:
  const loci_capture_api* api_;
  loci_graph_exec* handle_;
};

class CapturedGraph {
 public:
  CapturedGraph(const loci_capture_api& api, loci_graph* handle) : api_(&api), handle_(handle) {}
  ~CapturedGraph() { destroy(); }
  CapturedGraph(CapturedGraph&& other) noexcept
      : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&&) = delete;

  [[nodiscard]] const loci_graph* get() const { return handle_; }
  [[nodiscard]] loci_graph_stats stats() const;
  // Counts nodes of all kinds.
  [[nodiscard]] std::uint64_t nodes() const;
  [[nodiscard]] std::string dump() const;
  [[nodiscard]] Executable instantiate() const;
  void destroy();

 private:
  const loci_capture_api* api_;
  loci_graph* handle_;
};

}  // namespace loci::verify
