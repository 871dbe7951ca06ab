// The doctor's findings about the environment, plugins and devices.
#pragma once

#include <functional>
#include <loci/plugins.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/loci/devices/device_check.h"
#include "tools/loci/devices/device_survey.h"
#include "tools/loci/doctor/environment_check.h"
#include "tools/loci/doctor/plugin_facts.h"
#include "tools/loci/probe/plugin_prober.h"

namespace loci::runner {

struct Problem {
  std::string subject;  // a variable, a plugin's file or a place
  std::string cause;
  std::string remedy;
};

struct ExaminedPlugin {
  plugins::Candidate candidate;
  std::optional<ProbeResult> probe;  // of one that was to be loaded
  PluginFacts facts;
};

struct Health {
  std::vector<CheckedVariable> environment;
  std::vector<plugins::SearchPlace> search;
  std::vector<ExaminedPlugin> plugins;
  std::vector<CheckedDevice> devices;
  std::vector<Problem> problems;
};

// Who wants to hear of it while it is under way.
struct HealthListener {
  std::function<void(const Health& health)> searched;  // it has environment and search
  SurveyListener survey;
};

// Probes every candidate, and loads and opens what stands it, in children: see device_survey.h.
Health examine_health(PluginProber& prober, const SurveyOptions& options,
                      const HealthListener& listener);

// For people: environment and search; a line for a probe and for a device; the plugins.
std::string search_text(const Health& health);
std::string health_text(const plugins::Candidate& candidate, const ProbeResult& probe);
std::string health_text(const CheckedDevice& device);
std::string plugins_text(const Health& health);
// The JSON object that `loci plugins doctor --json` prints.
nlohmann::ordered_json health_json(const Health& health);

}  // namespace loci::runner
