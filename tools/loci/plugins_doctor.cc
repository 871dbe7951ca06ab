#include "tools/loci/plugins_doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/config.hpp>
#include <loci/plugins.hpp>
#include <string>
#include <vector>

#include "tools/loci/candidate_report.h"
#include "tools/loci/device_check.h"
#include "tools/loci/output.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using plugins::Candidate;

struct Problem {
  std::string subject;  // a plugin's file, or a place
  std::string cause;
  std::string remedy;
};

struct Findings {
  std::vector<Candidate> candidates;
  std::vector<CheckedDevice> devices;
  std::vector<Problem> problems;
};

bool brings(const Candidate& candidate, const std::string& type) {
  const std::vector<std::string>& types = candidate.device_types;
  return !candidate.failed && !candidate.disabled &&
         std::find(types.begin(), types.end(), type) != types.end();
}

// The files of the plugins that may be at fault for a device.
std::string files_behind(const Findings& findings, const std::string& place) {
  std::vector<std::string> files;
  for (const Candidate& candidate : findings.candidates) {
    if (brings(candidate, Place(place).type())) files.push_back(candidate.path);
  }
  return fmt::format("{}", fmt::join(files, ", "));
}

void judge(Findings* findings) {
  std::vector<Problem>& problems = findings->problems;
  if (findings->candidates.empty()) {
    problems.push_back({"search", "no plugins were found",
                        "name a directory of them with --plugin-path or LOCI_PLUGIN_PATH, or "
                        "install Loci with its plugins"});
  }
  for (const Candidate& candidate : findings->candidates) {
    if (candidate.failed && !candidate.disabled) {
      problems.push_back({candidate.path, candidate.cause, candidate.remedy});
    }
  }
  for (const CheckedDevice& device : findings->devices) {
    if (device.error.empty()) continue;
    problems.push_back({device.place, device.error,
                        fmt::format("repair the device or its driver, or leave out the plugin: {}",
                                    files_behind(*findings, device.place))});
  }
}

Findings examine() {
  Findings findings;
  findings.candidates = plugins::report(/*activate=*/true);
  findings.devices = check_devices();
  judge(&findings);
  return findings;
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

std::string report_text(const Findings& findings) {
  std::string text;
  for (const Candidate& candidate : findings.candidates) {
    text += fmt::format("{}: {}\n  file    {}\n", candidate_name(candidate), verdict(candidate),
                        candidate.path);
    if (!candidate.failed || candidate.disabled) continue;
    text += fmt::format("  cause   {}\n  remedy  {}\n", candidate.cause, candidate.remedy);
  }
  for (const CheckedDevice& device : findings.devices) {
    text += fmt::format(
        "device {}: {}\n", device.place,
        device.error.empty() ? "ok, " + device.properties.name : "PROBLEM: " + device.error);
  }
  return text;
}

Json report_json(const Findings& findings) {
  Json plugins = Json::array();
  for (const Candidate& candidate : findings.candidates) {
    plugins.push_back(candidate_json(candidate));
  }
  Json devices = Json::array();
  for (const CheckedDevice& device : findings.devices) {
    devices.push_back(
        {{"place", device.place}, {"error", device.error.empty() ? Json() : Json(device.error)}});
  }
  Json problems = Json::array();
  for (const Problem& problem : findings.problems) {
    problems.push_back(
        {{"subject", problem.subject}, {"cause", problem.cause}, {"remedy", problem.remedy}});
  }
  return {{"healthy", findings.problems.empty()},
          {"plugins", plugins},
          {"devices", devices},
          {"problems", problems}};
}

// What is wrong goes to standard error, so that it is seen where the report is not.
[[noreturn]] void fail(const std::vector<Problem>& problems) {
  std::string details;
  for (const Problem& problem : problems) {
    details += fmt::format("{}: {}; {}\n", problem.subject, problem.cause, problem.remedy);
  }
  throw Failure(
      ExitCode::kCheckFailed,
      fmt::format("[plugins] {} problem{} found", problems.size(), problems.size() == 1 ? "" : "s"),
      details);
}

}  // namespace

ExitCode plugins_doctor(bool json, bool logs) {
  if (!logs) config::set_log_levels("plugin=off");
  const Findings findings = in_phase(Phase::kDevices, examine);
  if (json) {
    print_json(report_json(findings));
  } else {
    print(report_text(findings));
  }
  if (!findings.problems.empty()) fail(findings.problems);
  if (!json) print("no problems found\n");
  return ExitCode::kOk;
}

}  // namespace loci::runner
