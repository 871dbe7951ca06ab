// Variables that are set, and that nobody reads: most are misspelt.
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

// One line for each variable LOCI_* that neither the core nor a plugin of those ids reads, and
// whose name is near one of the core's or begins with the same word, with that name. What is near
// none may be for a plugin that is not here.
std::vector<std::string> unread_variables(const std::vector<std::string>& ids);

// Logs them as warnings, each once in a process.
void warn_of_unread_variables(const std::vector<std::string>& ids);

}  // namespace loci::plugin
