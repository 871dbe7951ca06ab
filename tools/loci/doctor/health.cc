#include "tools/loci/doctor/health.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <loci/place.hpp>

#include "tools/loci/plugins/candidate_report.h"

namespace loci::runner {
namespace {

using plugins::Candidate;

bool brings(const Candidate& candidate, const std::string& type) {
  const std::vector<std::string>& types = candidate.device_types;
  return !candidate.failed && !candidate.disabled && has_kind(candidate, "backend") &&
         std::find(types.begin(), types.end(), type) != types.end();
}

// The files of the plugins that may be at fault for a device.
std::string files_behind(const Health& health, const std::string& place) {
  std::vector<std::string> files;
  for (const ExaminedPlugin& plugin : health.plugins) {
    if (brings(plugin.candidate, Place(place).type())) files.push_back(plugin.candidate.path);
  }
  return fmt::format("{}", fmt::join(files, ", "));
}

std::vector<std::string> ids_of(const Candidates& candidates) {
  std::vector<std::string> ids;
  for (const Candidate& candidate : candidates) ids.push_back(candidate.id);
  return ids;
}

void judge_environment(Health* health) {
  for (const CheckedVariable& variable : health->environment) {
    if (variable.problem.empty()) continue;
    health->problems.push_back({variable.name, variable.problem, variable.remedy});
  }
}

void judge_plugins(Health* health) {
  if (health->plugins.empty()) {
    health->problems.push_back({"search", "no plugins were found",
                                "name a directory of them with --plugin-path or LOCI_PLUGIN_PATH, "
                                "or install Loci with its plugins"});
  }
  for (const ExaminedPlugin& plugin : health->plugins) {
    const Candidate& candidate = plugin.candidate;
    if (!candidate.failed || candidate.disabled) continue;
    health->problems.push_back(
        {candidate.path, candidate.cause, full_remedy(candidate, plugin.facts)});
  }
}

void judge_devices(Health* health) {
  for (const CheckedDevice& device : health->devices) {
    if (device.error.empty()) continue;
    health->problems.push_back(
        {device.place, device.error,
         fmt::format("repair the device or its driver, or leave out the plugin: {}",
                     files_behind(*health, device.place))});
  }
}

void judge_capturers(Health* health) {
  for (const CheckedDevice& device : health->devices) {
    if (!device.capturer.has_failed) continue;
    health->problems.push_back(
        {device.place, device.capturer.reason,
         "graphs are launched op by op until that is repaired; leave the capturer out with "
         "--no-plugin"});
  }
}

}  // namespace

Health examine_health(PluginProber& prober, const SurveyOptions& options,
                      const HealthListener& listener) {
  Health health;
  health.search = plugins::search_places();
  health.environment = check_environment(environ, ids_of(plugins::report()));
  listener.searched(health);
  const auto found = [&](const CheckedDevice& device) {
    health.devices.push_back(device);
    listener.survey.found(device);
  };
  for (const Candidate& candidate :
       survey_devices(options, &prober, {found, listener.survey.probed})) {
    health.plugins.push_back({candidate, prober.result(candidate.path), look_up(candidate)});
  }
  judge_environment(&health);
  judge_plugins(&health);
  judge_devices(&health);
  judge_capturers(&health);
  return health;
}

}  // namespace loci::runner
