// What the doctor finds.
#pragma once

#include <loci/plugins.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/loci/device_check.h"
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

// Loads every candidate that the prober lets through, and opens every device.
Health examine_health(const PluginProber& prober);

// For people, and as the JSON object that `loci plugins doctor --json` prints.
std::string health_text(const Health& health);
nlohmann::ordered_json health_json(const Health& health);

}  // namespace loci::runner
