// The options that say which plugins there are, shared by several subcommands.
#pragma once

#include "tools/loci/command.h"

namespace loci::runner {

// --plugin-path, --plugin and --no-plugin.
void declare_plugin_options(po::options_description& options);

// Puts them to use. Throws Failure: kNotAvailable for a file or directory that is not there, and
// for a file named with --plugin that is not a plugin for this version of Loci.
void apply_plugin_options(const po::variables_map& values);

// The values of an option that may be repeated; empty if it was not given.
std::vector<std::string> texts(const po::variables_map& values, const std::string& option);

}  // namespace loci::runner
