#include "framework/plugin/negotiation.h"

#include <fmt/format.h>

#include <loci/abi/digest.h>
#include <loci/version.hpp>

#include "framework/core/abi/error.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/stated_text.h"

namespace loci::plugin {
namespace {

constexpr std::uint32_t kMinPluginMinor = 0;

[[noreturn]] void refuse_version(const std::string& cause, const std::string& remedy) {
  throw LoadError(ErrorCode::kIncompatible, cause, remedy);
}

struct PluginAbi {
  std::uint32_t minor;
  std::uint32_t min_host_minor;
  std::string_view digest;
};

void check_minors(const PluginAbi& plugin, const HostAbi& host) {
  if (plugin.min_host_minor > host.minor) {
    refuse_version(
        fmt::format("it is too new: it needs ABI {}.{} or newer, and this Loci has {}.{}",
                    host.major, plugin.min_host_minor, host.major, host.minor),
        "update Loci, or use an older release of the plugin");
  }
  if (plugin.minor < host.min_plugin_minor) {
    refuse_version(
        fmt::format("it is too old: it was built for ABI {}.{}, and this Loci takes {}.{} or "
                    "newer",
                    host.major, plugin.minor, host.major, host.min_plugin_minor),
        "update the plugin, or build it again with this Loci's SDK");
  }
}

void check_digest(const PluginAbi& plugin, const HostAbi& host) {
  if (plugin.digest == host.digest) return;
  refuse_version(
      fmt::format("it was built with the ABI headers {}, and this Loci with {}; while v1 is a "
                  "draft they have to be the same",
                  plugin.digest, host.digest),
      "build the plugin again with this Loci's SDK");
}

void check_promise(std::string_view member, std::string_view promised, std::string_view given) {
  if (promised == given) return;
  refuse_version(
      fmt::format("its manifest has the {} '{}' and its code '{}'", member, promised, given),
      "build the plugin again, so that both say the same");
}

}  // namespace

HostAbi this_host() { return {LOCI_ABI_MAJOR, LOCI_ABI_MINOR, kMinPluginMinor, LOCI_ABI_DIGEST}; }

loci_host_info host_info(const HostAbi& host) {
  return {.struct_size = sizeof(loci_host_info),
          .abi_minor = host.minor,
          .min_plugin_minor = host.min_plugin_minor,
          .reserved_zero = 0,
          .digest = core::to_abi(host.digest),
          .version = core::to_abi(version())};
}

void check_manifest_abi(const Manifest& manifest, const HostAbi& host) {
  if (manifest.abi_major != host.major) {
    const bool newer = manifest.abi_major > host.major;
    refuse_version(
        fmt::format("it is too {}: it was built for ABI major {}, and this Loci has major {}",
                    newer ? "new" : "old", manifest.abi_major, host.major),
        newer ? "update Loci, or use an older release of the plugin"
              : "update the plugin, or build it again with this Loci's SDK");
  }
  const PluginAbi plugin{manifest.abi_minor, manifest.min_host_minor, manifest.abi_digest};
  check_minors(plugin, host);
  check_digest(plugin, host);
}

std::uint32_t stated_size(const void* table, std::string_view name) {
  std::uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  if (size < 2 * sizeof(std::uint32_t)) {
    refuse_version(
        fmt::format("its {} states a size of {} bytes", name, size),
        "report it to the plugin's author: struct_size has to be the size of the struct");
  }
  return size;
}

loci_plugin_desc negotiate(const loci_plugin_desc* desc, const Manifest& manifest,
                           const HostAbi& host) {
  const auto own = copy_table<loci_plugin_desc>(desc, "loci_plugin_desc");
  const PluginAbi plugin{own.abi_minor, own.min_host_minor, stated_text(own.digest, "digest")};
  check_minors(plugin, host);
  check_digest(plugin, host);
  check_promise("id", manifest.id, stated_text(own.id, "id"));
  check_promise("version", manifest.version, stated_text(own.version, "version"));
  if (own.create == nullptr || own.destroy == nullptr || own.get_interface == nullptr) {
    refuse_version("its loci_plugin_desc lacks create, destroy or get_interface",
                   "report it to the plugin's author: all three are required");
  }
  return own;
}

}  // namespace loci::plugin
