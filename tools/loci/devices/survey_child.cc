// The child of device_survey.h.
#include <fmt/format.h>

#include <cstdlib>
#include <loci/plugins.hpp>
#include <loci/settings.hpp>

#include "tools/loci/child_process.h"
#include "tools/loci/devices/device_survey.h"
#include "tools/loci/plugins/candidate_report.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/probe/probe_report.h"

namespace loci::runner {
namespace {

void tell_step(std::string_view plugin, std::string_view function) {
  write_report(plugin.empty() ? fmt::format("{} {}", kStepWord, kBetweenSteps)
                              : fmt::format("{} {} {}", kStepWord, plugin, function));
}

}  // namespace

ExitCode survey_in_child(const std::vector<std::string>& arguments) {
  enter_child();
  plugins::watch_calls(tell_step);
  Command options;
  options.name = kSurveySubcommand;
  options.declare = declare_plugin_options;
  const po::variables_map values = parse(options, arguments);
  if (values.count("log") != 0) config::set_log_levels(values["log"].as<std::string>());
  (void)search_plugins(values, Probing::kBesides);
  check_devices([](const CheckedDevice& device) {
    write_report(report_line(kDeviceWord, device_json(device)));
  });
  for (const plugins::Candidate& candidate : plugins::report(/*activate=*/true)) {
    write_report(report_line(kCandidateWord, candidate_json(candidate, std::nullopt)));
  }
  write_report(fmt::format("{} all", kDoneWord));
  // A list of devices should not wait for what plugins do at exit.
  std::_Exit(static_cast<int>(ExitCode::kOk));
}

}  // namespace loci::runner
