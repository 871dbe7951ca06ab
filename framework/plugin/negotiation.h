// Agreement of host and plugin on versions, and tables of other sizes.
#pragma once

#include <loci/abi/plugin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "framework/plugin/manifest.h"

namespace loci::plugin {

// The ABI that a host speaks.
struct HostAbi {
  std::uint32_t major;
  std::uint32_t minor;
  std::uint32_t min_plugin_minor;
  std::string_view digest;
};
HostAbi this_host();

// Returns the facts that the query function is told. Their strings live as long as `host`'s.
loci_host_info host_info(const HostAbi& host);

// All throw LoadError(kIncompatible) that names both numbers. The first says before mapping what
// the second would say after it.
void check_manifest_abi(const Manifest& manifest, const HostAbi& host);
// The descriptor in the host's own size, complete, and the one that the manifest promised.
loci_plugin_desc negotiate(const loci_plugin_desc* desc, const Manifest& manifest,
                           const HostAbi& host);

// Checks that a table is large enough to state its size and minor.
std::uint32_t stated_size(const void* table, std::string_view name);

// A table of the other side's size in one of ours: what it lacks is NULL, what we lack is left out.
template <class Table>
Table copy_table(const void* source, std::string_view name) {
  Table table{};
  std::memcpy(&table, source, std::min<std::size_t>(stated_size(source, name), sizeof table));
  return table;
}

}  // namespace loci::plugin
