#include <fmt/format.h>

#include "tools/loci/doctor/health.h"
#include "tools/loci/doctor/library_package.h"
#include "tools/loci/plugins/candidate_report.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using plugins::Candidate;

// No JSON value for what there is none of.
Json known(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::string variable_text(const CheckedVariable& variable) {
  std::string verdict = "ok";
  if (!variable.note.empty()) verdict = variable.note;
  if (!variable.problem.empty()) verdict = "PROBLEM: " + variable.problem;
  return fmt::format("variable {}={}: {}\n", variable.name, variable.value, verdict);
}

std::string place_text(const plugins::SearchPlace& place) {
  const std::string found = place.refusal ? place.refusal->cause
                                          : fmt::format("{} candidate{}", place.files.size(),
                                                        place.files.size() == 1 ? "" : "s");
  return fmt::format("search {} ({}): {}\n", place.path, place.origin, found);
}

std::string verdict(const Candidate& candidate) {
  if (candidate.disabled) return "disabled, as asked for";
  if (candidate.failed) {
    return fmt::format("PROBLEM after {}", plugins::stage_name(candidate.stage));
  }
  if (!candidate.unavailable.empty()) {
    return fmt::format("ok, no device here: {}", candidate.unavailable);
  }
  return "ok";
}

std::string plugin_text(const ExaminedPlugin& plugin) {
  const Candidate& candidate = plugin.candidate;
  std::string text = fmt::format("{}: {}\n  file    {}\n", candidate_name(candidate),
                                 verdict(candidate), candidate.path);
  const auto add = [&](const char* label, const std::string& value) {
    text += fmt::format("  {:<7} {}\n", label, value);
  };
  if (!plugin.facts.mode.empty()) {
    add("mode", fmt::format("{}, of {}", plugin.facts.mode, plugin.facts.owner));
  }
  if (plugin.probe) add("probe", probe_text(*plugin.probe));
  if (candidate.score > 0) {
    add("devices",
        fmt::format("{}, score {}", fmt::join(candidate.device_types, ", "), candidate.score));
  }
  if (!candidate.failed && has_kind(candidate, "capture")) {
    add("graphs", fmt::format("of {}", fmt::join(candidate.device_types, ", ")));
  }
  for (const std::string& soname : plugin.facts.missing_libraries) {
    add("missing", fmt::format("{}: {}", soname, package_hint(soname)));
  }
  if (!candidate.failed || candidate.disabled) return text;
  add("cause", candidate.cause);
  add("remedy", candidate.remedy);
  return text;
}

Json health_json_of(const CheckedVariable& variable) {
  return {{"name", variable.name},
          {"value", variable.value},
          {"problem", known(variable.problem)},
          {"note", known(variable.note)}};
}

Json health_json_of(const plugins::SearchPlace& place) {
  return {{"path", place.path},
          {"origin", place.origin},
          {"files", place.files},
          {"refused", place.refusal ? Json(place.refusal->cause) : Json()}};
}

Json health_json_of(const ExaminedPlugin& plugin) {
  Json entry = candidate_json(plugin.candidate, plugin.probe);
  entry["mode"] = plugin.facts.mode;
  entry["owner"] = plugin.facts.owner;
  entry["missing_libraries"] = missing_json(plugin.facts);
  return entry;
}

Json health_json_of(const CheckedDevice& device) {
  return {{"place", device.place},
          {"capturer", known(device.capturer.plugin)},
          {"no_capturer", known(device.capturer.reason)},
          {"error", known(device.error)}};
}

Json health_json_of(const Problem& problem) {
  return {{"subject", problem.subject}, {"cause", problem.cause}, {"remedy", problem.remedy}};
}

template <class List>
Json health_list_json(const List& list) {
  Json entries = Json::array();
  for (const auto& entry : list) entries.push_back(health_json_of(entry));
  return entries;
}

}  // namespace

std::string search_text(const Health& health) {
  std::string text;
  for (const CheckedVariable& variable : health.environment) text += variable_text(variable);
  for (const plugins::SearchPlace& place : health.search) text += place_text(place);
  return text;
}

std::string plugins_text(const Health& health) {
  std::string text;
  for (const ExaminedPlugin& plugin : health.plugins) text += plugin_text(plugin);
  return text;
}

std::string health_text(const Candidate& candidate, const ProbeResult& probe) {
  return fmt::format("probe {}: {}\n", candidate_name(candidate), probe_text(probe));
}

std::string health_text(const CheckedDevice& device) {
  if (!device.error.empty()) {
    return fmt::format("device {}: PROBLEM: {}\n", device.place, device.error);
  }
  const std::string graphs = graphs_text(device);
  return fmt::format("device {}: ok, {}{}{}\n", device.place, device.properties.name,
                     graphs.empty() ? "" : "; graphs ", graphs);
}

Json health_json(const Health& health) {
  return {{"healthy", health.problems.empty()},
          {"environment", health_list_json(health.environment)},
          {"search", health_list_json(health.search)},
          {"plugins", health_list_json(health.plugins)},
          {"devices", health_list_json(health.devices)},
          {"problems", health_list_json(health.problems)}};
}

}  // namespace loci::runner
