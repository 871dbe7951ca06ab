#include "tools/loci/doctor/plugins_doctor.h"

#include <fmt/format.h>

#include <loci/settings.hpp>
#include <string>
#include <vector>

#include "tools/loci/doctor/health.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"

namespace loci::runner {
namespace {

// Writes the problems to standard error, so that they are seen where the report is not.
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

HealthListener silent() {
  return {[](const Health&) {}, {[](const CheckedDevice&) {}}};
}

// A probe or a device may take many seconds.
HealthListener printing() {
  return {[](const Health& health) { print(search_text(health)); },
          {[](const CheckedDevice& device) { print(health_text(device)); },
           [](const plugins::Candidate& candidate, const ProbeResult& probe) {
             print(health_text(candidate, probe));
           }}};
}

}  // namespace

ExitCode plugins_doctor(const po::variables_map& values, bool json) {
  const auto prober = search_plugins(values, Probing::kAnew);
  SurveyOptions options = survey_options(values);
  if (values.count("log") == 0) {
    config::set_log_levels("plugin=off");
    options.arguments.emplace_back("--log=plugin=off");
  }
  const HealthListener listener = json ? silent() : printing();
  const Health health =
      in_phase(Phase::kDevices, [&] { return examine_health(*prober, options, listener); });
  if (json) {
    print_json(health_json(health));
  } else {
    print(plugins_text(health));
  }
  if (!health.problems.empty()) fail(health.problems);
  if (!json) print("no problems found\n");
  return ExitCode::kOk;
}

}  // namespace loci::runner
