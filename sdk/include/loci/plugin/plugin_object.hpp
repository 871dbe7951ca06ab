// The object behind a loci_plugin*, for the tables of interfaces. Without the digest of the ABI,
// which changes with every header of it: only the file with the entry point has to follow.
#pragma once

#include <loci/abi/plugin.h>

#include <loci/plugin/host.hpp>
#include <map>
#include <string>
#include <string_view>

namespace loci::sdk {

// The configuration entries given for this plugin.
using Options = std::map<std::string, std::string, std::less<>>;

namespace detail {

// The object that a loci_plugin* points to.
template <class P>
struct PluginBox {
  PluginBox(const loci_host_api& api, const Options& options) : host(api), plugin(host, options) {}

  static PluginBox& from(loci_plugin* plugin) { return *reinterpret_cast<PluginBox*>(plugin); }

  Host host;
  P plugin;
};

}  // namespace detail

// The object behind a loci_plugin* that describe_plugin<P> made, and its host.
template <class P>
P& plugin_of(loci_plugin* plugin) {
  return detail::PluginBox<P>::from(plugin).plugin;
}
template <class P>
const Host& host_of(loci_plugin* plugin) {
  return detail::PluginBox<P>::from(plugin).host;
}

}  // namespace loci::sdk
