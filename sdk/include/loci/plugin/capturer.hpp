// Capturers: device graphs, from C++.
//
//   class MyCapturer {                                // of one open device
//    public:
//     // Throws Error(LOCI_CODE_UNSUPPORTED, why) to decline the device.
//     MyCapturer(MyPlugin& plugin, std::uint32_t index, const NativeHandles& handles);
//     void begin(loci_stream* stream);
//     void annotate(loci_stream* stream, std::string_view op, std::uint64_t item);
//     std::unique_ptr<Graph> end(loci_stream* stream);
//     void abort(loci_stream* stream);
//     std::uint32_t status(loci_stream* stream);      // LOCI_CAPTURE_*
//     // Optional, both or none: loops that the device decides about.
//     void loop_begin(loci_stream* stream, loci_stream* body, const void* condition);
//     void loop_end(loci_stream* stream);
//     // Optional, all or none, and with loops: branches that the device chooses.
//     void branch_begin(loci_stream* stream, loci_stream* body, const void* condition);
//     void branch_else(loci_stream* stream);
//     void branch_end(loci_stream* stream);
//     // Optional: graphs that fork and join.
//     void depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count);
//
//     class Graph {                                   // what was captured
//      public:
//       void stats(loci_graph_stats& stats) const;
//       std::string dump() const;
//       std::unique_ptr<Exec> instantiate() const;
//     };
//     class Exec {                                    // what is launched
//      public:
//       void launch(const loci_graph_launch& launch);
//       void patch(std::uint64_t item, std::uint32_t argument, void* address);
//       void update(const Graph& graph);
//     };
//   };
//
// The manifest has "capture" among its kinds and the device type, and capturer_table<P,
// MyCapturer>() is the table of LOCI_CAPTURE_INTERFACE. Each member throws on failure;
// loci/abi/capture.h says what is to be refused.
#pragma once

#include <loci/abi/capture.h>

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <loci/plugin/host.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace loci::sdk {

// The device's own objects, by the names that it gives them. Valid as long as the capturer.
class NativeHandles {
 public:
  NativeHandles(const Host& host, const loci_native_handles& handles)
      : host_(&host), handles_(handles) {}

  // NULL if the device has none of that name. Throws what the device fails with.
  [[nodiscard]] void* get(std::string_view name, loci_stream* stream = nullptr) const {
    void* handle = nullptr;
    check(host_->api(), handles_.get(handles_.context, stream, to_abi(name), &handle));
    return handle;
  }

 private:
  const Host* host_;
  loci_native_handles handles_;
};

namespace detail {

// An object of a capturer behind an opaque pointer, with the host for its errors.
template <class T>
struct CaptureBox {
  const Host* host;
  std::unique_ptr<T> value;

  template <class Opaque>
  static CaptureBox& from(Opaque* pointer) {
    return *reinterpret_cast<CaptureBox*>(pointer);
  }
  template <class Opaque>
  static const CaptureBox& from(const Opaque* pointer) {
    return *reinterpret_cast<const CaptureBox*>(pointer);
  }
  template <class Opaque>
  static void hand_out(const Host& host, std::unique_ptr<T> value, Opaque** out) {
    *out = reinterpret_cast<Opaque*>(new CaptureBox{&host, std::move(value)});
  }
};

// Runs body(object, host) for a function of the C ABI.
template <class T, class Opaque, class Body>
loci_error* on_captured(Opaque* pointer, Body body) noexcept {
  auto& box = CaptureBox<T>::from(pointer);
  return guard(box.host->api(), [&] { body(*box.value, *box.host); });
}

template <class P, class C>
void fill_capturer(loci_capture_api& api) {
  api.open = [](loci_plugin* plugin, std::uint32_t index, const loci_native_handles* handles,
                loci_capturer** out) noexcept {
    const Host& host = host_of<P>(plugin);
    return guard(host.api(), [&] {
      auto made = std::make_unique<C>(plugin_of<P>(plugin), index, NativeHandles(host, *handles));
      CaptureBox<C>::hand_out(host, std::move(made), out);
    });
  };
  api.close = [](loci_capturer* capturer) noexcept { delete &CaptureBox<C>::from(capturer); };
  api.begin = [](loci_capturer* capturer, loci_stream* stream) noexcept {
    return on_captured<C>(capturer, [&](C& self, const Host&) { self.begin(stream); });
  };
  api.annotate = [](loci_capturer* capturer, loci_stream* stream,
                    const loci_capture_op* op) noexcept {
    return on_captured<C>(
        capturer, [&](C& self, const Host&) { self.annotate(stream, to_view(op->op), op->item); });
  };
  api.end = [](loci_capturer* capturer, loci_stream* stream, loci_graph** out) noexcept {
    return on_captured<C>(capturer, [&](C& self, const Host& host) {
      CaptureBox<typename C::Graph>::hand_out(host, self.end(stream), out);
    });
  };
  api.abort = [](loci_capturer* capturer, loci_stream* stream) noexcept {
    return on_captured<C>(capturer, [&](C& self, const Host&) { self.abort(stream); });
  };
  api.status = [](loci_capturer* capturer, loci_stream* stream, std::uint32_t* out) noexcept {
    return on_captured<C>(capturer, [&](C& self, const Host&) { *out = self.status(stream); });
  };
}

template <class C, class = void>
struct HasLoops : std::false_type {};
template <class C>
struct HasLoops<C, std::void_t<decltype(&C::loop_begin)>> : std::true_type {};

template <class C>
void fill_loops(loci_capture_api& api) {
  if constexpr (HasLoops<C>::value) {
    api.loop_begin = [](loci_capturer* capturer, loci_stream* stream, loci_stream* body,
                        const void* condition) noexcept {
      return on_captured<C>(
          capturer, [&](C& self, const Host&) { self.loop_begin(stream, body, condition); });
    };
    api.loop_end = [](loci_capturer* capturer, loci_stream* stream) noexcept {
      return on_captured<C>(capturer, [&](C& self, const Host&) { self.loop_end(stream); });
    };
  }
}

template <class C, class = void>
struct HasBranches : std::false_type {};
template <class C>
struct HasBranches<C, std::void_t<decltype(&C::branch_begin)>> : std::true_type {};

template <class C>
void fill_branches(loci_capture_api& api) {
  if constexpr (HasBranches<C>::value) {
    static_assert(HasLoops<C>::value, "a capturer with branches has loops");
    api.branch_begin = [](loci_capturer* capturer, loci_stream* stream, loci_stream* body,
                          const void* condition) noexcept {
      return on_captured<C>(
          capturer, [&](C& self, const Host&) { self.branch_begin(stream, body, condition); });
    };
    api.branch_else = [](loci_capturer* capturer, loci_stream* stream) noexcept {
      return on_captured<C>(capturer, [&](C& self, const Host&) { self.branch_else(stream); });
    };
    api.branch_end = [](loci_capturer* capturer, loci_stream* stream) noexcept {
      return on_captured<C>(capturer, [&](C& self, const Host&) { self.branch_end(stream); });
    };
  }
}

template <class C, class = void>
struct HasForks : std::false_type {};
template <class C>
struct HasForks<C, std::void_t<decltype(&C::depend)>> : std::true_type {};

template <class C>
void fill_forks(loci_capture_api& api) {
  if constexpr (HasForks<C>::value) {
    api.depend = [](loci_capturer* capturer, loci_stream* stream, const std::uint64_t* items,
                    std::uint64_t count) noexcept {
      return on_captured<C>(capturer,
                            [&](C& self, const Host&) { self.depend(stream, items, count); });
    };
  }
}

template <class C>
void fill_graph(loci_capture_api& api) {
  using Graph = typename C::Graph;
  using Exec = typename C::Exec;
  api.stats = [](const loci_graph* graph, loci_graph_stats* out) noexcept {
    return on_captured<Graph>(graph, [&](const Graph& self, const Host&) { self.stats(*out); });
  };
  api.dump = [](const loci_graph* graph, void (*write)(void*, loci_str), void* context) noexcept {
    return on_captured<Graph>(graph, [&](const Graph& self, const Host&) {
      const std::string text = self.dump();
      write(context, to_abi(text));
    });
  };
  api.destroy_graph = [](loci_graph* graph) noexcept { delete &CaptureBox<Graph>::from(graph); };
  api.instantiate = [](const loci_graph* graph, loci_graph_exec** out) noexcept {
    return on_captured<Graph>(graph, [&](const Graph& self, const Host& host) {
      CaptureBox<Exec>::hand_out(host, self.instantiate(), out);
    });
  };
}

template <class C>
void fill_exec(loci_capture_api& api) {
  using Graph = typename C::Graph;
  using Exec = typename C::Exec;
  api.launch = [](loci_graph_exec* exec, const loci_graph_launch* launch) noexcept {
    return on_captured<Exec>(exec, [&](Exec& self, const Host&) { self.launch(*launch); });
  };
  api.patch = [](loci_graph_exec* exec, std::uint64_t item, std::uint32_t argument,
                 void* address) noexcept {
    return on_captured<Exec>(exec,
                             [&](Exec& self, const Host&) { self.patch(item, argument, address); });
  };
  api.update = [](loci_graph_exec* exec, const loci_graph* graph) noexcept {
    return on_captured<Exec>(
        exec, [&](Exec& self, const Host&) { self.update(*CaptureBox<Graph>::from(graph).value); });
  };
  api.destroy_exec = [](loci_graph_exec* exec) noexcept { delete &CaptureBox<Exec>::from(exec); };
}

template <class P, class C>
loci_capture_api make_capturer_table() {
  loci_capture_api api{};
  api.struct_size = sizeof api;
  api.minor = LOCI_CAPTURE_MINOR;
  api.device_type = to_abi(P::kDeviceType);
  fill_capturer<P, C>(api);
  fill_loops<C>(api);
  fill_branches<C>(api);
  fill_forks<C>(api);
  fill_graph<C>(api);
  fill_exec<C>(api);
  return api;
}

}  // namespace detail

// The table of "loci.capture" for a plugin P with a static constexpr std::string_view kDeviceType
// and a capturer class C as described above.
template <class P, class C>
const loci_capture_api* capturer_table() {
  static const loci_capture_api kTable = detail::make_capturer_table<P, C>();
  return &kTable;
}

}  // namespace loci::sdk
