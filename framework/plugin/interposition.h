// Standing between the core and a plugin, for tools that check what passes.
#pragma once

#include <loci/abi/plugin.h>

#include <loci/export.hpp>
#include <string>

namespace loci::plugin {

// Gets the descriptor that the plugin at `path` gave, and returns the one that the core takes,
// which lives as long as the process: the same, or one whose functions call those of the first.
using Interposer = const loci_plugin_desc* (*)(const std::string& path,
                                               const loci_plugin_desc* desc);

// For plugins that are loaded from now on; NULL: none. Before other threads use plugins.
LOCI_PUBLIC void set_interposer(Interposer interposer) noexcept;

// Returns the descriptor that the core takes.
const loci_plugin_desc* interposed(const std::string& path, const loci_plugin_desc* desc);

}  // namespace loci::plugin
