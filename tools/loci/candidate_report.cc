#include "tools/loci/candidate_report.h"

#include <fmt/format.h>

namespace loci::runner {
namespace {

using plugins::Candidate;

std::string status(const Candidate& candidate) {
  const std::string stage = plugins::stage_name(candidate.stage);
  if (candidate.failed) return "failed after " + stage;
  return candidate.disabled ? "disabled" : stage;
}

}  // namespace

std::string candidate_name(const Candidate& candidate) {
  if (candidate.id.empty()) return "(no manifest)";
  return candidate.version.empty() ? candidate.id : candidate.id + " " + candidate.version;
}

std::string candidate_text(const Candidate& candidate) {
  std::string text = fmt::format("{}: {}\n  file    {}\n", candidate_name(candidate),
                                 status(candidate), candidate.path);
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<7} {}\n", label, value);
  };
  add("kinds", fmt::format("{}", fmt::join(candidate.kinds, ", ")));
  add("devices", fmt::format("{}", fmt::join(candidate.device_types, ", ")));
  add("absent", candidate.unavailable);
  add("cause", candidate.cause);
  add("remedy", candidate.remedy);
  return text;
}

nlohmann::ordered_json candidate_json(const Candidate& candidate) {
  return {{"path", candidate.path},
          {"id", candidate.id},
          {"version", candidate.version},
          {"kinds", candidate.kinds},
          {"device_types", candidate.device_types},
          {"stage", plugins::stage_name(candidate.stage)},
          {"failed", candidate.failed},
          {"cause", candidate.cause},
          {"remedy", candidate.remedy},
          {"disabled", candidate.disabled},
          {"unavailable", candidate.unavailable}};
}

}  // namespace loci::runner
