// Candidates for plugins, shown.
#pragma once

#include <loci/plugins.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/loci/probe/plugin_probe.h"

namespace loci::runner {

bool has_kind(const plugins::Candidate& candidate, const std::string& kind);
// The candidate's name in text: its id, or that it has none.
std::string candidate_name(const plugins::Candidate& candidate);
// Several lines. `probe` is what a child process found out, if one was asked.
std::string candidate_text(const plugins::Candidate& candidate,
                           const std::optional<ProbeResult>& probe);
nlohmann::ordered_json candidate_json(const plugins::Candidate& candidate,
                                      const std::optional<ProbeResult>& probe);
// The candidate of such an object. Throws nlohmann::json::exception if it is none.
plugins::Candidate candidate_of(const nlohmann::json& object);

}  // namespace loci::runner
