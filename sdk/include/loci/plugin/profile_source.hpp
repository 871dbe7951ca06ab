// The profile source of a backend, from C++.
//
// A plugin P has an object, profile_source(), with these members; all but the first three may be
// missing, and what they throw becomes an error of the host:
//
//   void start(std::uint32_t flags, const ProfileSink& sink);   // the sink: a copy, kept until
//   stop void flush(); void stop(); void external_range_begin(); void external_range_end();
//
// profile_source_table<P>() is the table of LOCI_PROFILE_SOURCE_INTERFACE.
#pragma once

#include <loci/abi/profile_source.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <loci/plugin/error.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace loci::sdk {

// A copy of the host's sink. Its functions may be called from any thread until stop has returned.
class ProfileSink {
 public:
  ProfileSink() = default;
  explicit ProfileSink(const loci_profile_sink& sink) {
    std::memcpy(&sink_, &sink, std::min<std::size_t>(sink.struct_size, sizeof sink_));
  }

  void device_records(const loci_device_record* records, std::uint64_t count) const {
    sink_.device_records(sink_.context, records, count);
  }
  void call_records(const loci_call_record* records, std::uint64_t count) const {
    sink_.call_records(sink_.context, records, count);
  }
  void dropped(std::uint64_t count) const { sink_.dropped(sink_.context, count); }
  void note(std::string_view text) const { sink_.note(sink_.context, to_abi(text)); }

 private:
  loci_profile_sink sink_{};
};

namespace detail {

template <class P>
using SourceOf = std::remove_reference_t<decltype(std::declval<P&>().profile_source())>;

template <class S, class = void>
struct HasExternalRange : std::false_type {};
template <class S>
struct HasExternalRange<
    S, std::void_t<decltype(&S::external_range_begin), decltype(&S::external_range_end)>>
    : std::true_type {};

// Calls `body` with the plugin's source; what it throws becomes the result.
template <class P, class Body>
loci_error* with_source(loci_plugin* plugin, Body&& body) noexcept {
  return guard(host_of<P>(plugin).api(), [&] { body(plugin_of<P>(plugin).profile_source()); });
}

template <class P>
constexpr loci_profile_source_api make_source_table() {
  loci_profile_source_api api{};
  api.struct_size = sizeof api;
  api.minor = LOCI_PROFILE_SOURCE_MINOR;
  api.device_type = {P::kDeviceType.data(), P::kDeviceType.size()};
  api.start = [](loci_plugin* plugin, std::uint32_t flags, const loci_profile_sink* sink) {
    return with_source<P>(plugin, [&](auto& source) { source.start(flags, ProfileSink(*sink)); });
  };
  api.flush = [](loci_plugin* plugin) {
    return with_source<P>(plugin, [](auto& source) { source.flush(); });
  };
  api.stop = [](loci_plugin* plugin) {
    return with_source<P>(plugin, [](auto& source) { source.stop(); });
  };
  if constexpr (HasExternalRange<SourceOf<P>>::value) {
    api.external_range_begin = [](loci_plugin* plugin) {
      return with_source<P>(plugin, [](auto& source) { source.external_range_begin(); });
    };
    api.external_range_end = [](loci_plugin* plugin) {
      return with_source<P>(plugin, [](auto& source) { source.external_range_end(); });
    };
  }
  return api;
}

}  // namespace detail

template <class P>
const loci_profile_source_api* profile_source_table() noexcept {
  static constexpr loci_profile_source_api kTable = detail::make_source_table<P>();
  return &kTable;
}

}  // namespace loci::sdk
