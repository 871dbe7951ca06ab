#include "tools/conformance/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loci::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWorst = 10;

Json count_json(const Report::Count& count) {
  return {{"passed", count.passed}, {"failed", count.failed}, {"absent", count.absent}};
}

std::string count_text(const Report::Count& count) {
  return fmt::format("{:5} passed {:4} failed {:4} absent", count.passed, count.failed,
                     count.absent);
}

std::vector<CaseResult> by_share(std::vector<CaseResult> results) {
  std::stable_sort(results.begin(), results.end(),
                   [](const CaseResult& a, const CaseResult& b) { return a.worst > b.worst; });
  results.resize(std::min(results.size(), kWorst));
  return results;
}

}  // namespace

std::string summary(const Report& report) {
  std::string text;
  for (const auto& entry : report.families()) {
    text += fmt::format("{:<16}{}\n", entry.first, count_text(entry.second));
  }
  text += fmt::format("{:<16}{}\n", report.place.to_string(), count_text(report.total()));
  for (const auto& entry : report.kernels()) {
    text += fmt::format("{:5} cases ran {}\n", entry.second, entry.first);
  }
  return text;
}

std::string to_json(const Report& report) {
  Json json{{"place", report.place.to_string()}};
  json.update(count_json(report.total()));
  json["families"] = Json::object();
  for (const auto& entry : report.families())
    json["families"][entry.first] = count_json(entry.second);
  json["kernels"] = Json(report.kernels());
  json["problems"] = Json::array();
  for (const CaseResult& result : report.results) {
    if (result.outcome == Outcome::kPassed) continue;
    json["problems"].push_back({{"case", result.name},
                                {"outcome", outcome_name(result.outcome)},
                                {"message", result.message}});
  }
  json["worst"] = Json::array();
  for (const CaseResult& result : by_share(report.results)) {
    json["worst"].push_back({{"case", result.name}, {"share", static_cast<double>(result.worst)}});
  }
  return json.dump(2);
}

}  // namespace loci::conformance
