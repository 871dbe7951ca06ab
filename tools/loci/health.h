// What the doctor finds.
#pragma once

#include <functional>
#include <loci/plugins.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/loci/device_check.h"
#include "tools/loci/device_survey.h"
#include "tools/loci/environment_check.h"
#include "tools/loci/plugin_facts.h"
#include "tools/loci/plugin_prober.h"

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

// Probes every candidate, and loads and opens what stands it, in children: see device_survey.h.
// `found` is told of each device as soon as it was opened.
Health examine_health(PluginProber& prober, const SurveyOptions& options,
                      const std::function<void(const CheckedDevice&)>& found);

// For people: a line for a device, and the rest of what was found.
std::string health_text(const CheckedDevice& device);
std::string health_text(const Health& health);
// The JSON object that `loci plugins doctor --json` prints.
nlohmann::ordered_json health_json(const Health& health);

}  // namespace loci::runner
