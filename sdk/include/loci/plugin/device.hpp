// The device table, filled from a C++ class.
//
//   class MyDevice {
//    public:
//     static Probe probe(MyPlugin& plugin);                     // without opening a device
//     static std::uint32_t count(MyPlugin& plugin);
//     static void describe(MyPlugin& plugin, std::uint32_t index, loci_device_info& info);
//     MyDevice(MyPlugin& plugin, const Host& host, std::uint32_t index);   // opens it
//   };
//   const loci_device_api* table = device_table<MyPlugin, MyDevice>();
//
// That is all that a device which is LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY needs. Others
// define more members, in groups; each throws on failure:
//   memory   void* mem_alloc(kind, bytes, stream); void mem_free(kind, pointer, stream);
//            void mem_info(free_bytes&, total_bytes&)
//   pinning  void host_register(pointer, bytes); void host_unregister(pointer)
//   copies   bool copy(const loci_copy&, stream), true if the host waited for it;
//            void fill(target, bytes, pattern, pattern_bytes, stream, correlation)
//   streams  a class Stream(MyDevice&), or Stream(MyDevice&, std::int32_t priority), with
//            bool query(), void synchronize(), void wait(Event&), and where streams run functions
//            of the host: void launch_host(loci_host_fn, void* context, std::uint64_t correlation);
//            and a class Event(MyDevice&), or Event(MyDevice&, std::uint32_t flags), with
//            void record(Stream*), bool query(), void synchronize(),
//            std::uint64_t ns_until(Event& end)
//   others   void synchronize(); void check_async(), which throws the first failure of enqueued
//            work, or void check_async(std::uint64_t& correlation), which throws each and says
//            whose it is; void* native_handle(stream, name)
// A `stream` argument is the Stream* of the host, or loci_stream* for a device without streams. The
// host serialises opening and closing; the rest may be called from any thread.
#pragma once

#include <loci/abi/device.h>

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <loci/plugin/host.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace loci::sdk {

// score 0: not on this machine, for `reason` (STATIC).
struct Probe {
  std::int32_t score = 0;
  std::string_view reason = {};
};

namespace detail {

// An object of the backend behind an opaque pointer, with the host for its errors.
template <class T>
struct Hosted {
  template <class... Args>
  explicit Hosted(const Host& owner, Args&&... args)
      : host(&owner), value(std::forward<Args>(args)...) {}
  const Host* host;
  T value;
};

template <class D>
Hosted<D>& device_box(loci_device* device) {
  return *reinterpret_cast<Hosted<D>*>(device);
}

template <class D, class = void>
struct StreamOf {
  using type = loci_stream;
  static loci_stream* from(loci_stream* stream) { return stream; }
};
template <class D>
struct StreamOf<D, std::void_t<typename D::Stream>> {
  using type = typename D::Stream;
  using Box = Hosted<type>;
  static Box& box(loci_stream* stream) { return *reinterpret_cast<Box*>(stream); }
  static type* from(loci_stream* stream) {
    return stream == nullptr ? nullptr : &box(stream).value;
  }
};

template <class D>
struct EventOf {
  using Box = Hosted<typename D::Event>;
  static Box& box(loci_event* event) { return *reinterpret_cast<Box*>(event); }
};

// Runs body(device) for a function of the C ABI.
template <class D, class Body>
loci_error* on_device(loci_device* device, Body body) noexcept {
  auto& box = device_box<D>(device);
  return guard(box.host->api(), [&] { body(box.value); });
}

template <class P, class D>
void fill_discovery(loci_device_api& api) {
  api.probe = [](loci_plugin* plugin, std::int32_t* out_score, loci_str* out_reason) noexcept {
    return guard(host_of<P>(plugin).api(), [&] {
      const Probe probe = D::probe(plugin_of<P>(plugin));
      *out_score = probe.score;
      *out_reason = to_abi(probe.reason);
    });
  };
  api.count = [](loci_plugin* plugin, std::uint32_t* out_count) noexcept {
    return guard(host_of<P>(plugin).api(), [&] { *out_count = D::count(plugin_of<P>(plugin)); });
  };
  api.describe = [](loci_plugin* plugin, std::uint32_t index, loci_device_info* out) noexcept {
    return guard(host_of<P>(plugin).api(), [&] { D::describe(plugin_of<P>(plugin), index, *out); });
  };
  api.open = [](loci_plugin* plugin, std::uint32_t index, loci_device** out_device) noexcept {
    const Host& host = host_of<P>(plugin);
    return guard(host.api(), [&] {
      auto box = std::make_unique<Hosted<D>>(host, plugin_of<P>(plugin), host, index);
      *out_device = reinterpret_cast<loci_device*>(box.release());
    });
  };
  api.close = [](loci_device* device) noexcept { delete &device_box<D>(device); };
}

template <class D>
auto fill_memory(loci_device_api& api, int) -> decltype(void(&D::mem_alloc)) {
  api.mem_alloc = [](loci_device* device, std::uint32_t kind, std::uint64_t bytes,
                     loci_stream* stream, void** out) noexcept {
    return on_device<D>(
        device, [&](D& self) { *out = self.mem_alloc(kind, bytes, StreamOf<D>::from(stream)); });
  };
  api.mem_free = [](loci_device* device, std::uint32_t kind, void* pointer,
                    loci_stream* stream) noexcept {
    return on_device<D>(device,
                        [&](D& self) { self.mem_free(kind, pointer, StreamOf<D>::from(stream)); });
  };
  api.mem_info = [](loci_device* device, std::uint64_t* out_free,
                    std::uint64_t* out_total) noexcept {
    return on_device<D>(device, [&](D& self) { self.mem_info(*out_free, *out_total); });
  };
}
template <class D>
void fill_memory(loci_device_api&, long) {}

template <class D>
auto fill_pinning(loci_device_api& api, int) -> decltype(void(&D::host_register)) {
  api.host_register = [](loci_device* device, void* pointer, std::uint64_t bytes) noexcept {
    return on_device<D>(device, [&](D& self) { self.host_register(pointer, bytes); });
  };
  api.host_unregister = [](loci_device* device, void* pointer) noexcept {
    return on_device<D>(device, [&](D& self) { self.host_unregister(pointer); });
  };
}
template <class D>
void fill_pinning(loci_device_api&, long) {}

template <class D>
auto fill_copies(loci_device_api& api, int) -> decltype(void(&D::copy)) {
  api.copy = [](loci_device* device, const loci_copy* copy, loci_stream* stream,
                std::uint32_t* out_blocked) noexcept {
    return on_device<D>(device, [&](D& self) {
      *out_blocked = self.copy(*copy, StreamOf<D>::from(stream)) ? 1 : 0;
    });
  };
  api.fill = [](loci_device* device, void* target, std::uint64_t bytes, const void* pattern,
                std::uint32_t pattern_bytes, loci_stream* stream,
                std::uint64_t correlation) noexcept {
    return on_device<D>(device, [&](D& self) {
      self.fill(target, bytes, pattern, pattern_bytes, StreamOf<D>::from(stream), correlation);
    });
  };
}
template <class D>
void fill_copies(loci_device_api&, long) {}

template <class D>
void fill_events(loci_device_api& api) {
  using Event = EventOf<D>;
  api.event_create = [](loci_device* device, std::uint32_t flags, loci_event** out) noexcept {
    const Host& host = *device_box<D>(device).host;
    return on_device<D>(device, [&](D& self) {
      using Box = typename Event::Box;
      std::unique_ptr<Box> box;
      if constexpr (std::is_constructible_v<typename D::Event, D&, std::uint32_t>) {
        box = std::make_unique<Box>(host, self, flags);
      } else {
        box = std::make_unique<Box>(host, self);
      }
      *out = reinterpret_cast<loci_event*>(box.release());
    });
  };
  api.event_destroy = [](loci_event* event) noexcept { delete &Event::box(event); };
  api.event_record = [](loci_event* event, loci_stream* stream) noexcept {
    auto& box = Event::box(event);
    return guard(box.host->api(), [&] { box.value.record(StreamOf<D>::from(stream)); });
  };
  api.event_query = [](loci_event* event, std::uint32_t* out_done) noexcept {
    auto& box = Event::box(event);
    return guard(box.host->api(), [&] { *out_done = box.value.query() ? 1 : 0; });
  };
  api.event_synchronize = [](loci_event* event) noexcept {
    auto& box = Event::box(event);
    return guard(box.host->api(), [&] { box.value.synchronize(); });
  };
  api.event_elapsed_ns = [](loci_event* start, loci_event* end, std::uint64_t* out_ns) noexcept {
    auto& box = Event::box(start);
    return guard(box.host->api(), [&] { *out_ns = box.value.ns_until(Event::box(end).value); });
  };
}

template <class D>
auto fill_host_functions(loci_device_api& api, int) -> decltype(void(&D::Stream::launch_host)) {
  api.launch_host = [](loci_stream* stream, loci_host_fn function, void* context,
                       std::uint64_t correlation) noexcept {
    auto& box = StreamOf<D>::box(stream);
    return guard(box.host->api(), [&] { box.value.launch_host(function, context, correlation); });
  };
}
template <class D>
void fill_host_functions(loci_device_api&, long) {}

template <class D>
auto fill_streams(loci_device_api& api, int) -> std::void_t<typename D::Stream> {
  using Stream = StreamOf<D>;
  api.stream_create = [](loci_device* device, std::int32_t priority, loci_stream** out) noexcept {
    const Host& host = *device_box<D>(device).host;
    return on_device<D>(device, [&](D& self) {
      using Box = typename Stream::Box;
      std::unique_ptr<Box> box;
      if constexpr (std::is_constructible_v<typename D::Stream, D&, std::int32_t>) {
        box = std::make_unique<Box>(host, self, priority);
      } else {
        box = std::make_unique<Box>(host, self);
      }
      *out = reinterpret_cast<loci_stream*>(box.release());
    });
  };
  api.stream_destroy = [](loci_stream* stream) noexcept { delete &Stream::box(stream); };
  api.stream_query = [](loci_stream* stream, std::uint32_t* out_done) noexcept {
    auto& box = Stream::box(stream);
    return guard(box.host->api(), [&] { *out_done = box.value.query() ? 1 : 0; });
  };
  api.stream_synchronize = [](loci_stream* stream) noexcept {
    auto& box = Stream::box(stream);
    return guard(box.host->api(), [&] { box.value.synchronize(); });
  };
  api.stream_wait_event = [](loci_stream* stream, loci_event* event) noexcept {
    auto& box = Stream::box(stream);
    return guard(box.host->api(), [&] { box.value.wait(EventOf<D>::box(event).value); });
  };
  fill_host_functions<D>(api, 0);
  fill_events<D>(api);
}
template <class D>
void fill_streams(loci_device_api&, long) {}

template <class D>
auto fill_synchronize(loci_device_api& api, int) -> decltype(void(&D::synchronize)) {
  api.synchronize = [](loci_device* device) noexcept {
    return on_device<D>(device, [](D& self) { self.synchronize(); });
  };
}
template <class D>
void fill_synchronize(loci_device_api&, long) {}

template <class D>
auto check_async(D& device, std::uint64_t& correlation, int)
    -> decltype(device.check_async(correlation)) {
  device.check_async(correlation);
}
template <class D>
auto check_async(D& device, std::uint64_t&, long) -> decltype(device.check_async()) {
  device.check_async();
}

template <class D>
auto fill_async_error(loci_device_api& api, int)
    -> decltype(check_async(std::declval<D&>(), std::declval<std::uint64_t&>(), 0)) {
  api.take_async_error = [](loci_device* device, std::uint64_t* out_correlation) noexcept {
    *out_correlation = 0;
    return on_device<D>(device, [&](D& self) { check_async(self, *out_correlation, 0); });
  };
}
template <class D>
void fill_async_error(loci_device_api&, long) {}

template <class D>
auto fill_native_handle(loci_device_api& api, int) -> decltype(void(&D::native_handle)) {
  api.native_handle = [](loci_device* device, loci_stream* stream, loci_str name,
                         void** out_handle) noexcept {
    return on_device<D>(device, [&](D& self) {
      *out_handle = self.native_handle(StreamOf<D>::from(stream), to_view(name));
    });
  };
}
template <class D>
void fill_native_handle(loci_device_api&, long) {}

template <class P, class D>
loci_device_api make_device_table() {
  loci_device_api api{};
  api.struct_size = sizeof api;
  api.minor = LOCI_DEVICE_MINOR;
  api.device_type = to_abi(P::kDeviceType);
  fill_discovery<P, D>(api);
  fill_memory<D>(api, 0);
  fill_pinning<D>(api, 0);
  fill_copies<D>(api, 0);
  fill_streams<D>(api, 0);
  fill_synchronize<D>(api, 0);
  fill_async_error<D>(api, 0);
  fill_native_handle<D>(api, 0);
  return api;
}

}  // namespace detail

// The table of "loci.device" for a plugin P with a static constexpr std::string_view kDeviceType
// and a device class D as described above.
template <class P, class D>
const loci_device_api* device_table() {
  static const loci_device_api kTable = detail::make_device_table<P, D>();
  return &kTable;
}

// Return the objects that the host's handles stand for, for kernels of the same plugin:
// Prepare::device() and Launch::stream(). The stream is nullptr where the host passes none.
template <class D>
D& device_of(loci_device* device) {
  return detail::device_box<D>(device).value;
}
template <class D>
auto* stream_of(loci_stream* stream) {
  return detail::StreamOf<D>::from(stream);
}
template <class D>
auto& event_of(loci_event* event) {
  return detail::EventOf<D>::box(event).value;
}

}  // namespace loci::sdk
