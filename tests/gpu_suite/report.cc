#include "tests/gpu_suite/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace loci::gpu_suite {
namespace {

using Ordered = nlohmann::ordered_json;

std::string counts_text(const StepResult& result) {
  std::string text;
  for (const auto& [name, count] : result.counts) {
    if (count == 0 && name != "passed") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

Ordered json_of(const StepResult& result) {
  Ordered json{{"name", result.name},
               {"group", result.group},
               {"outcome", outcome_name(result.outcome)},
               {"message", result.message},
               {"seconds", result.seconds},
               {"counts", result.counts}};
  if (!result.log.empty()) json["log"] = result.log;
  if (!result.rows.empty()) json["rows"] = result.rows;
  if (!result.notes.empty()) json["notes"] = result.notes;
  return json;
}

std::string number_text(const nlohmann::json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "";
}

// That of the budget first.
std::string peers_text(const nlohmann::json& row) {
  std::string first;
  std::string text;
  if (row.contains("peer") && row["peer"].is_string()) {
    first = row["peer"];
    text = fmt::format("  {}: {}", first, number_text(row.value("peer_value", nlohmann::json())));
  }
  const nlohmann::json peers = row.value("peers", nlohmann::json::object());
  for (const auto& [name, value] : peers.items()) {
    if (name != first) text += fmt::format("  {}: {}", name, number_text(value));
  }
  return text;
}

std::string row_text(const nlohmann::json& row) {
  std::string text =
      fmt::format("    {:<52} {:>10} {}", row.value("name", ""),
                  number_text(row.value("value", nlohmann::json())), row.value("unit", ""));
  text += peers_text(row);
  const nlohmann::json met = row.value("met", nlohmann::json());
  if (met.is_boolean()) {
    text += fmt::format("  budget {} {}: {}",
                        row.value("better", "") == "more" ? ">=" : "<=", number_text(row["budget"]),
                        met.get<bool>() ? "met" : "MISSED");
  }
  return text + "\n";
}

}  // namespace

std::string line_of(const StepResult& result) {
  std::string line = fmt::format("  {:<8}{:>7.1f} s  {:<28}", outcome_name(result.outcome),
                                 result.seconds, result.name);
  const std::string counts = counts_text(result);
  if (!counts.empty()) line += " " + counts;
  if (!result.message.empty()) line += (counts.empty() ? " " : "; ") + result.message;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

long SuiteReport::count(Outcome outcome) const {
  return std::count_if(steps.begin(), steps.end(),
                       [&](const StepResult& step) { return step.outcome == outcome; });
}

Ordered SuiteReport::to_json() const {
  Ordered json{{"suite", "gpu-suite"},
               {"version", version},
               {"emulated", emulated},
               {"quick", quick},
               {"device", device},
               {"passed", count(Outcome::kPassed)},
               {"failed", count(Outcome::kFailed)},
               {"skipped", count(Outcome::kSkipped)}};
  json["steps"] = Ordered::array();
  for (const StepResult& step : steps) json["steps"].push_back(json_of(step));
  return json;
}

std::string SuiteReport::to_text() const {
  std::string text = fmt::format("Loci {} on {}{}\n", version,
                                 device.is_object() ? device.value("name", "?") : "no CUDA device",
                                 quick ? ", a quick run" : "");
  if (emulated) text += "Emulated on the processor: nothing here was measured on a GPU.\n";
  for (const StepResult& step : steps) {
    text += line_of(step);
    if (emulated) continue;
    for (const auto& row : step.rows) text += row_text(row);
    for (const auto& note : step.notes) text += "    note: " + note.get<std::string>() + "\n";
  }
  return text + fmt::format("{} passed, {} failed, {} skipped\n", count(Outcome::kPassed),
                            count(Outcome::kFailed), count(Outcome::kSkipped));
}

}  // namespace loci::gpu_suite
