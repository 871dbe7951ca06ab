#include "tools/loci/plugins/candidate_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::runner {
namespace {

using plugins::Candidate;

std::string status(const Candidate& candidate) {
  const std::string stage = plugins::stage_name(candidate.stage);
  if (candidate.failed) return "failed after " + stage;
  return candidate.disabled ? "disabled" : stage;
}

nlohmann::ordered_json probe_json(const ProbeResult& probe) {
  return {{"outcome", outcome_name(probe.outcome)},
          {"cause", probe.refusal.cause},
          {"remedy", probe.refusal.remedy},
          {"duration_ms", probe.duration.count()},
          {"cached", probe.cached}};
}

plugins::Stage stage_of(const std::string& name) {
  plugins::Stage stage = plugins::Stage::kDiscovered;
  while (stage != plugins::Stage::kActive && plugins::stage_name(stage) != name) {
    stage = static_cast<plugins::Stage>(static_cast<int>(stage) + 1);
  }
  return stage;
}

}  // namespace

bool has_kind(const Candidate& candidate, const std::string& kind) {
  return std::find(candidate.kinds.begin(), candidate.kinds.end(), kind) != candidate.kinds.end();
}

std::string candidate_name(const Candidate& candidate) {
  if (candidate.id.empty()) return "(no manifest)";
  return candidate.version.empty() ? candidate.id : candidate.id + " " + candidate.version;
}

std::string candidate_text(const Candidate& candidate, const std::optional<ProbeResult>& probe) {
  std::string text = fmt::format("{}: {}\n  file    {}\n", candidate_name(candidate),
                                 status(candidate), candidate.path);
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<7} {}\n", label, value);
  };
  add("kinds", fmt::format("{}", fmt::join(candidate.kinds, ", ")));
  const std::string types = fmt::format("{}", fmt::join(candidate.device_types, ", "));
  if (has_kind(candidate, "capture")) add("graphs", "of " + types);
  if (!has_kind(candidate, "capture") || has_kind(candidate, "backend")) add("devices", types);
  add("absent", candidate.unavailable);
  if (probe) add("probe", probe_text(*probe));
  add("cause", candidate.cause);
  add("remedy", candidate.remedy);
  return text;
}

nlohmann::ordered_json candidate_json(const Candidate& candidate,
                                      const std::optional<ProbeResult>& probe) {
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
          {"unavailable", candidate.unavailable},
          {"score", candidate.score},
          {"build_id", candidate.build_id},
          {"probe", probe ? probe_json(*probe) : nullptr}};
}

plugins::Candidate candidate_of(const nlohmann::json& object) {
  Candidate candidate;
  object.at("path").get_to(candidate.path);
  object.at("id").get_to(candidate.id);
  object.at("version").get_to(candidate.version);
  object.at("kinds").get_to(candidate.kinds);
  object.at("device_types").get_to(candidate.device_types);
  candidate.stage = stage_of(object.at("stage").get<std::string>());
  object.at("failed").get_to(candidate.failed);
  object.at("cause").get_to(candidate.cause);
  object.at("remedy").get_to(candidate.remedy);
  object.at("disabled").get_to(candidate.disabled);
  object.at("unavailable").get_to(candidate.unavailable);
  object.at("score").get_to(candidate.score);
  object.at("build_id").get_to(candidate.build_id);
  return candidate;
}

}  // namespace loci::runner
