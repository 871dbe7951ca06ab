// Variables that are set for a plugin, and that it does not read: most are misspelt.
#pragma once

#include <string>
#include <vector>

#include "framework/plugin/manifest.h"

namespace loci::plugin {

// One line of each, with the nearest name; none of a plugin whose manifest names no settings. What
// is for another plugin whose name begins alike, as LOCI_CUDA_GRAPH_DOT is none of cuda's, those of
// the core, and the faults on demand that the contract has are left out.
std::vector<std::string> unknown_settings(const Manifest& manifest,
                                          const std::vector<std::string>& other_ids);

// Logs them as warnings, each once in a process.
void warn_of_unknown_settings(const Manifest& manifest, const std::vector<std::string>& other_ids);

}  // namespace loci::plugin
