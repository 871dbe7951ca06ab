// The entry point of a plugin, from C++.
//
//   class MyPlugin {
//    public:
//     static constexpr std::string_view kId = "org.example.mine", kVersion = "1.0.0";
//     MyPlugin(const loci::sdk::Host& host, const loci::sdk::Options& options);
//     // The table of an interface (see device.hpp and kernel.hpp), nullptr for an unknown name.
//     const void* interface(std::string_view name);
//   };
//
//   const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
//     return loci::sdk::describe_plugin<MyPlugin>(host);
//   }
//
// The host serialises construction and destruction; `interface` may be called from any thread. The
// Host outlives the plugin's object. No exception leaves the library.
#pragma once

#include <loci/abi/digest.h>
#include <loci/abi/plugin.h>

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <loci/plugin/host.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <memory>
#include <string_view>

namespace loci::sdk {

namespace detail {

template <class P>
loci_error* create_plugin(const loci_host_api* host, const loci_kv* options,
                          std::uint64_t option_count, loci_plugin** out_plugin) noexcept {
  return guard(*host, [&] {
    Options values;
    for (std::uint64_t i = 0; i < option_count; ++i) {
      values.emplace(to_view(options[i].key), to_view(options[i].value));
    }
    auto box = std::make_unique<PluginBox<P>>(*host, values);
    *out_plugin = reinterpret_cast<loci_plugin*>(box.release());
  });
}

template <class P>
void destroy_plugin(loci_plugin* plugin) noexcept {
  delete &PluginBox<P>::from(plugin);
}

template <class P>
loci_error* get_plugin_interface(loci_plugin* plugin, loci_str name, std::uint32_t,
                                 const void** out_table) noexcept {
  auto& box = PluginBox<P>::from(plugin);
  return guard(box.host.api(), [&] { *out_table = box.plugin.interface(to_view(name)); });
}

}  // namespace detail

template <class P>
const loci_plugin_desc* describe_plugin(const loci_host_info*) noexcept {
  static constexpr loci_plugin_desc kDesc = {
      sizeof(loci_plugin_desc),
      LOCI_ABI_MINOR,
      /*min_host_minor=*/0,
      /*reserved_zero=*/0,
      {P::kId.data(), P::kId.size()},
      {P::kVersion.data(), P::kVersion.size()},
      {LOCI_ABI_DIGEST, sizeof LOCI_ABI_DIGEST - 1},
      &detail::create_plugin<P>,
      &detail::destroy_plugin<P>,
      &detail::get_plugin_interface<P>,
  };
  return &kDesc;
}

}  // namespace loci::sdk
