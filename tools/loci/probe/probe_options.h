// The options that say whether plugins are probed, and how.
#pragma once

#include <chrono>
#include <memory>

#include "tools/loci/command.h"
#include "tools/loci/probe/plugin_prober.h"

namespace loci::runner {

// 1 in this variable is as good as --probe.
inline constexpr const char* kProbeVariable = "LOCI_PLUGIN_PROBE";

// The time that a function of a plugin may take where its devices are what was asked for: a driver
// that starts may take long, and is not to be told of as one that hangs.
inline constexpr std::chrono::seconds kDeviceLimit{30};

// --probe, --probe-timeout and --no-probe-cache.
void declare_probe_options(po::options_description& options);

// Reads --probe-timeout, which was given. Throws Failure(kUsage) for a time that is none.
std::chrono::milliseconds read_probe_limit(const po::variables_map& values);

// Which plugins are loaded in a child process first.
enum class Probing {
  kAsAsked,  // all with --probe or LOCI_PLUGIN_PROBE=1, else none
  kBesides,  // the same, where a child with that time limit does the work in any case
  kAnew,     // all, and what was found out before does not count
};

// NULL if plugins are not probed. Throws Failure(kUsage) for an option that is ill-formed or of no
// use.
std::shared_ptr<PluginProber> make_prober(const po::variables_map& values, Probing probing);

}  // namespace loci::runner
