#include <fmt/format.h>

#include <loci/plugins.hpp>

#include "tools/loci/candidate_report.h"
#include "tools/loci/output.h"
#include "tools/loci/plugin_options.h"
#include "tools/loci/plugins_doctor.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using plugins::Candidate;

void declare(po::options_description& options) {
  declare_plugin_options(options);
  options.add_options()                                                             //
      ("probe", "list: load each plugin and look for its devices, as a run would")  //
      ("json",
       "print one JSON object: of list, plugins; of inspect, the plugin; of doctor, healthy, "
       "plugins, devices and problems. A plugin has path, id, version, kinds, device_types, stage, "
       "failed, cause, remedy, disabled, unavailable");
}

ExitCode list(bool json, bool probe) {
  const std::vector<Candidate> candidates =
      in_phase(Phase::kDevices, [&] { return plugins::report(probe); });
  if (json) {
    Json entries = Json::array();
    for (const Candidate& candidate : candidates) entries.push_back(candidate_json(candidate));
    print_json({{"plugins", entries}});
    return ExitCode::kOk;
  }
  std::string text;
  for (const Candidate& candidate : candidates) text += candidate_text(candidate);
  print(text.empty() ? "no plugins found; --plugin-path names a directory to search\n" : text);
  return ExitCode::kOk;
}

ExitCode inspect_file(const std::string& path, bool json) {
  const Candidate candidate = in_phase(Phase::kDevices, [&] { return plugins::inspect(path); });
  if (json) print_json(candidate_json(candidate));
  if (candidate.failed) {
    throw Failure(ExitCode::kNotAvailable,
                  fmt::format("[plugin] '{}' cannot be loaded: {}", path, candidate.cause),
                  candidate.remedy);
  }
  if (!json) print(candidate_text(candidate));
  return ExitCode::kOk;
}

ExitCode run(const po::variables_map& values) {
  const std::string action =
      values.count("action") == 0 ? "list" : values["action"].as<std::string>();
  const bool has_file = values.count("file") != 0;
  if (has_file != (action == "inspect")) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("'plugins {}' {}; see 'loci plugins --help'", action,
                              has_file ? "takes no file" : "needs a file"));
  }
  const bool probe = values.count("probe") != 0;
  if (probe && action != "list") {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--probe] is for 'plugins list', not for 'plugins {}'", action));
  }
  apply_plugin_options(values);
  const bool json = values.count("json") != 0;
  if (action == "doctor") return plugins_doctor(json, values.count("log") != 0);
  return has_file ? inspect_file(values["file"].as<std::string>(), json) : list(json, probe);
}

}  // namespace

Command plugins_command() {
  Command command;
  command.name = "plugins";
  command.summary = "Lists the plugins that were found, reads one, or finds out what is wrong.";
  command.positionals = {
      {"action", "list | inspect FILE | doctor", false, {"list", "inspect", "doctor"}},
      {"file", "", false}};
  command.declare = declare;
  command.notes =
      "'loci plugins list', the default, reads the manifests in search order: the explicit files,\n"
      "then --plugin-path, LOCI_PLUGIN_PATH and the install directory. With --probe it loads "
      "every\n"
      "plugin too and tells how far it came; one that cannot be loaded is no failure of the list.\n"
      "'loci plugins inspect FILE' reads the manifest of one file without running it. 'loci "
      "plugins\n"
      "doctor' loads every plugin, opens every device, and says of each problem what to do; with "
      "a\n"
      "problem it ends with exit code 1.\n\n" +
      exit_code_help();
  command.run = run;
  return command;
}

}  // namespace loci::runner
