#include <fmt/format.h>

#include <loci/plugins.hpp>

#include "tools/loci/output.h"
#include "tools/loci/plugin_options.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using plugins::Candidate;

void declare(po::options_description& options) {
  declare_plugin_options(options);
  options.add_options()("json",
                        "print one JSON object: of list, plugins; of inspect, the plugin. Each has "
                        "path, id, version, "
                        "kinds, device_types, stage, failed, cause, remedy, disabled, unavailable");
}

Json to_json(const Candidate& candidate) {
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

std::string status(const Candidate& candidate) {
  const std::string stage = plugins::stage_name(candidate.stage);
  if (candidate.failed) return "failed after " + stage;
  return candidate.disabled ? "disabled" : stage;
}

std::string to_text(const Candidate& candidate) {
  const std::string name = candidate.id.empty() ? "(no manifest)" : candidate.id;
  std::string text = name + (candidate.version.empty() ? "" : " " + candidate.version);
  text += fmt::format(": {}\n  file    {}\n", status(candidate), candidate.path);
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

ExitCode list(bool json) {
  const std::vector<Candidate> candidates =
      in_phase(Phase::kDevices, [] { return plugins::report(/*activate=*/true); });
  if (json) {
    Json entries = Json::array();
    for (const Candidate& candidate : candidates) entries.push_back(to_json(candidate));
    print_json({{"plugins", entries}});
    return ExitCode::kOk;
  }
  std::string text;
  for (const Candidate& candidate : candidates) text += to_text(candidate);
  print(text.empty() ? "no plugins found; --plugin-path names a directory to search\n" : text);
  return ExitCode::kOk;
}

ExitCode inspect_file(const std::string& path, bool json) {
  const Candidate candidate = in_phase(Phase::kDevices, [&] { return plugins::inspect(path); });
  if (json) print_json(to_json(candidate));
  if (candidate.failed) {
    throw Failure(ExitCode::kNotAvailable,
                  fmt::format("[plugin] '{}' cannot be loaded: {}", path, candidate.cause),
                  candidate.remedy);
  }
  if (!json) print(to_text(candidate));
  return ExitCode::kOk;
}

ExitCode run(const po::variables_map& values) {
  const std::string action =
      values.count("action") == 0 ? "list" : values["action"].as<std::string>();
  if (action != "list" && action != "inspect") {
    throw Failure(ExitCode::kUsage,
                  fmt::format("'plugins {}' is not one of 'plugins list', 'plugins inspect FILE'; "
                              "see 'loci plugins --help'",
                              action));
  }
  const bool has_file = values.count("file") != 0;
  if (has_file != (action == "inspect")) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("'plugins {}' {}; see 'loci plugins --help'", action,
                              has_file ? "takes no file" : "needs a file"));
  }
  apply_plugin_options(values);
  const bool json = values.count("json") != 0;
  return has_file ? inspect_file(values["file"].as<std::string>(), json) : list(json);
}

}  // namespace

Command plugins_command() {
  Command command;
  command.name = "plugins";
  command.summary = "Lists the plugins that were found, or reads the manifest of one.";
  command.positionals = {{"action", "list | inspect FILE", false}, {"file", "", false}};
  command.declare = declare;
  command.notes =
      "'loci plugins list', the default, loads every plugin in search order and tells how far it\n"
      "came: the explicit files, then --plugin-path, LOCI_PLUGIN_PATH and the install directory.\n"
      "One that cannot be loaded is no failure of the list. 'loci plugins inspect FILE' reads the\n"
      "manifest of one file without running it.\n\n" +
      exit_code_help();
  command.run = run;
  return command;
}

}  // namespace loci::runner
