// Devices opened in a child process, so that one that hangs, crashes or exits is reported and not
// suffered.
#pragma once

#include <chrono>
#include <functional>
#include <loci/plugins.hpp>
#include <string>
#include <vector>

#include "tools/loci/child_process.h"
#include "tools/loci/command.h"
#include "tools/loci/devices/device_check.h"
#include "tools/loci/failure.h"
#include "tools/loci/probe/plugin_prober.h"
#include "tools/loci/probe/probe_options.h"

namespace loci::runner {

struct SurveyOptions {
  // The options of the search for plugins, as they were given.
  std::vector<std::string> arguments;
  // The time that one function of a plugin may take.
  std::chrono::milliseconds limit = kDeviceLimit;
  std::string program = kThisProgram;
};
// From --plugin-path, --plugin, --no-plugin and --probe-timeout.
SurveyOptions survey_options(const po::variables_map& values);

// Every candidate, active or with the reason why it is not: also one that ended the child, whose
// cause says in which function.
using Candidates = std::vector<plugins::Candidate>;

// Who wants to hear of it while it is under way.
struct SurveyListener {
  std::function<void(const CheckedDevice& device)> found;  // once, as soon as it was opened
  std::function<void(const plugins::Candidate& candidate, const ProbeResult& result)> probed =
      nullptr;
};

// Takes the plugins that the options have the search find through what `loci devices` asks of them:
// this process maps none of them. A plugin that ends the child, or takes too long, is left out of
// another one, until one gets through. One that `prober` refuses, if there is a prober, is left out
// from the beginning. Throws Failure if there can be no child.
Candidates survey_devices(const SurveyOptions& options, PluginProber* prober,
                          const SurveyListener& listener);

// The child runs the subcommand of this name, which no help tells of.
inline constexpr const char* kSurveySubcommand = "__devices";
ExitCode survey_in_child(const std::vector<std::string>& arguments);

}  // namespace loci::runner
