#include "tools/conformance/verify/verify_report.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "framework/core/listed.h"

namespace loci::verify {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNamed = 4;

std::string counts_text(const Counts& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += fmt::format("  {:>5} {}", count, outcome_name(outcome));
  }
  return text.empty() ? "  nothing to check" : text;
}

Json counts_json(const Counts& counts) {
  Json json = Json::object();
  for (const auto& [outcome, count] : counts) json[std::string(outcome_name(outcome))] = count;
  return json;
}

// "ops/matmul/mul/float32/..." is of the op "mul"; another check has its own name.
std::string subject_of(const std::string& check) {
  if (check.rfind("ops/", 0) != 0) return check;
  const std::size_t family = check.find('/', 4);
  if (family == std::string::npos) return check;
  return check.substr(family + 1, check.find('/', family + 1) - family - 1);
}

std::string names_text(const std::set<std::string>& names, std::size_t most) {
  return core::listed({names.begin(), names.end()}, most);
}

// Checks with the same outcome for the same reason, in one line.
struct Group {
  std::size_t count = 0;
  std::set<std::string> subjects;
};

// Names why a case is absent without its shape, so that like cases go together. Where the op has
// kernels and none for the dtypes of the case, the core says "(none for float16; has: float32)".
std::string absence(const std::string& message) {
  constexpr std::string_view kHas = "; has: ";
  const std::size_t none = message.find("(none for ");
  const std::size_t has = none == std::string::npos ? none : message.find(kHas, none);
  if (has == std::string::npos) return "no kernel";
  const std::size_t first = has + kHas.size();
  return fmt::format("no kernel for these dtypes (has: {})",
                     message.substr(first, message.find(')', first) - first));
}

std::string reason_of(const Result& result) {
  if (result.outcome == Outcome::kAbsent) return absence(result.message);
  return result.message.substr(0, result.message.find(" ("));
}

std::string groups_text(const Report& report) {
  std::map<std::pair<Outcome, std::string>, Group> groups;
  for (const LevelReport& level : report.levels) {
    for (const Result& result : level.results) {
      if (result.outcome == Outcome::kPassed || result.outcome == Outcome::kFailed) continue;
      Group& group = groups[{result.outcome, reason_of(result)}];
      ++group.count;
      group.subjects.insert(subject_of(result.check));
    }
  }
  std::string text;
  for (const auto& [key, group] : groups) {
    text += fmt::format("{}, {}: {}\n  {}\n", outcome_name(key.first), group.count, key.second,
                        names_text(group.subjects, 3 * kNamed));
  }
  return text;
}

std::map<std::string, std::size_t> kernels_of(const Report& report) {
  std::map<std::string, std::size_t> kernels;
  for (const LevelReport& level : report.levels) {
    for (const Result& result : level.results) {
      for (const std::string& kernel : result.kernels) ++kernels[kernel];
    }
  }
  return kernels;
}

double seconds_of(const Result& result) {
  return std::chrono::duration<double>(result.took).count();
}

std::string slowest_text(const Report& report) {
  std::string text;
  for (const Result& slow : report.slowest()) {
    text += fmt::format("{:>8.1f} s {}\n", seconds_of(slow), slow.check);
  }
  return text.empty() ? "" : "the slowest checks:\n" + text;
}

}  // namespace

std::string describe(const Exclusion& exclusion) {
  if (!exclusion.known) {
    return fmt::format("the exclusion '{}' is stale: it matches no check", exclusion.pattern);
  }
  const std::set<std::string> checks(exclusion.unneeded.begin(), exclusion.unneeded.end());
  return fmt::format("the exclusion '{}' ({}) is stale: {} checks do not need it: {}",
                     exclusion.pattern, outcome_name(exclusion.kind), checks.size(),
                     names_text(checks, kNamed));
}

std::string to_text(const Report& report) {
  std::string text = fmt::format("{} {}, {} at {}\n", report.id.empty() ? "?" : report.id,
                                 report.version, report.file, report.place);
  for (const LevelReport& level : report.levels) {
    text += fmt::format("{:<6}{}\n", level.name, counts_text(level.counts()));
  }
  for (const auto& [kernel, cases] : kernels_of(report)) {
    text += fmt::format("{:>5} cases ran {}\n", cases, kernel);
  }
  text += groups_text(report);
  for (const Result& failure : report.failures()) {
    text += fmt::format("FAILED {}: {}\n", failure.check, failure.message);
  }
  for (const Exclusion& exclusion : report.stale()) text += describe(exclusion) + "\n";
  return text + slowest_text(report);
}

Json to_json(const Report& report) {
  Json json{{"file", report.file},
            {"id", report.id},
            {"version", report.version},
            {"place", report.place},
            {"passed", report.failures().empty()},
            {"counts", counts_json(report.counts())}};
  json["levels"] = Json::object();
  json["kernels"] = Json(kernels_of(report));
  json["results"] = Json::array();
  for (const LevelReport& level : report.levels) {
    json["levels"][level.name] = counts_json(level.counts());
    for (const Result& result : level.results) {
      if (result.outcome == Outcome::kPassed) continue;
      json["results"].push_back({{"check", result.check},
                                 {"outcome", outcome_name(result.outcome)},
                                 {"message", result.message}});
    }
  }
  json["slowest"] = Json::array();
  for (const Result& slow : report.slowest()) {
    json["slowest"].push_back({{"check", slow.check}, {"seconds", seconds_of(slow)}});
  }
  json["exclusions"] = Json::array();
  for (const Exclusion& exclusion : report.exclusions) {
    json["exclusions"].push_back({{"case", exclusion.pattern},
                                  {"kind", outcome_name(exclusion.kind)},
                                  {"reason", exclusion.reason},
                                  {"used", exclusion.used},
                                  {"stale", exclusion.is_stale()}});
  }
  return json;
}

}  // namespace loci::verify
