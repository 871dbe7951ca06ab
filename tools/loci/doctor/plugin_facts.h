// The facts that the doctor looks up about a plugin's file.
#pragma once

#include <loci/plugins.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loci::runner {

struct PluginFacts {
  std::string mode;                            // "0644"; empty if the file cannot be examined
  std::string owner;                           // a user's name, or number
  std::vector<std::string> missing_libraries;  // sonames
};

// Libraries are looked for if the plugin could not be loaded.
PluginFacts look_up(const plugins::Candidate& candidate);

// The candidate's remedy, with the packages of the libraries that are missing.
std::string full_remedy(const plugins::Candidate& candidate, const PluginFacts& facts);

nlohmann::ordered_json missing_json(const PluginFacts& facts);

}  // namespace loci::runner
