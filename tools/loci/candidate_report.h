// Candidates for plugins, shown.
#pragma once

#include <loci/plugins.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace loci::runner {

// The candidate's name in text: its id, or that it has none.
std::string candidate_name(const plugins::Candidate& candidate);
// Several lines.
std::string candidate_text(const plugins::Candidate& candidate);
nlohmann::ordered_json candidate_json(const plugins::Candidate& candidate);

}  // namespace loci::runner
