// The options that say which plugins there are, shared by several subcommands.
#pragma once

#include <loci/plugins.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/probe/plugin_prober.h"
#include "tools/loci/probe/probe_options.h"

namespace loci::runner {

// --plugin-path, --plugin, --no-plugin and --emulated-cuda; --probe, --probe-timeout and
// --no-probe-cache.
void declare_plugin_options(po::options_description& options);

// Puts them to use. Throws Failure: kNotAvailable for a file or directory that is not there, and
// for a file named with --plugin that is not a plugin for this version of Loci or, where plugins
// are probed, does not stand it. Returns what probes them, NULL if nothing does.
std::shared_ptr<PluginProber> apply_plugin_options(const po::variables_map& values,
                                                   Probing probing = Probing::kAsAsked);
// That failure, of the file as it was named.
[[noreturn]] void refuse_plugin(const std::string& file, const plugins::Candidate& candidate);

// Applies the options for a subcommand that reports on plugins, which lists one that does not stand
// it. Returns what probes them, NULL if nothing does.
std::shared_ptr<PluginProber> search_plugins(const po::variables_map& values, Probing probing);

// The values of an option that may be repeated; empty if it was not given.
std::vector<std::string> texts(const po::variables_map& values, const std::string& option);

}  // namespace loci::runner
