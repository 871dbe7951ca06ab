#include <fmt/format.h>

#include <loci/plugins.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/loci/doctor/plugins_doctor.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/candidate_report.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/plugins/plugin_template.h"
#include "tools/loci/plugins/plugins_new.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using plugins::Candidate;

std::string kinds_text(std::string_view separator) {
  return fmt::format("{}", fmt::join(template_kinds(), separator));
}

void declare_plugins_command(po::options_description& options) {
  declare_plugin_options(options);
  const std::string kinds = "new: what it is to be: " + kinds_text(", ");
  options.add_options()  //
      ("json",
       "print one JSON object: of list, plugins; of inspect, the plugin; of doctor, healthy, "
       "environment, search, plugins, devices and problems. A plugin has path, id, version, kinds, "
       "device_types, stage, failed, cause, remedy, disabled, unavailable, score, build_id, probe; "
       "doctor's also mode, owner and missing_libraries")  //
      ("kind", po::value<std::string>()->value_name(kinds_text("|")),
       kinds.c_str())                                                              //
      ("queued", "new: a backend whose launches enqueue into streams and return")  //
      ("dir", po::value<std::string>()->value_name("DIR"), "new: where to write it");
}

ExitCode list(const po::variables_map& values, bool json) {
  const auto prober = search_plugins(values, Probing::kAsAsked);
  const bool load = values.count("probe") != 0;
  const std::vector<Candidate> candidates =
      in_phase(Phase::kDevices, [&] { return plugins::report(load); });
  const auto probed = [&](const Candidate& candidate) {
    return prober == nullptr ? std::nullopt : prober->result(candidate.path);
  };
  if (json) {
    Json entries = Json::array();
    for (const Candidate& candidate : candidates) {
      entries.push_back(candidate_json(candidate, probed(candidate)));
    }
    print_json({{"plugins", entries}});
    return ExitCode::kOk;
  }
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += candidate_text(candidate, probed(candidate));
  }
  print(text.empty() ? "no plugins found; --plugin-path names a directory to search\n" : text);
  return ExitCode::kOk;
}

// Without mapping it here: what a child process finds out is all that is asked for.
std::optional<ProbeResult> probe_file(const std::shared_ptr<PluginProber>& prober,
                                      Candidate* candidate) {
  if (prober == nullptr || candidate->failed) return std::nullopt;
  const ProbeResult result = prober->probe(*candidate);
  candidate->failed = result.outcome != ProbeResult::Outcome::kGood;
  candidate->cause = result.refusal.cause;
  candidate->remedy = result.refusal.remedy;
  return result;
}

ExitCode inspect_file(const po::variables_map& values, bool json) {
  const auto path = values["file"].as<std::string>();
  (void)search_plugins(values, Probing::kAsAsked);
  // A variable is not enough for what promises to run nothing.
  const bool asked = values.count("probe") != 0;
  const auto prober = asked ? make_prober(values, Probing::kAsAsked) : nullptr;
  Candidate candidate = in_phase(Phase::kDevices, [&] { return plugins::inspect(path); });
  const std::optional<ProbeResult> probe = probe_file(prober, &candidate);
  if (json) print_json(candidate_json(candidate, probe));
  if (candidate.failed) {
    throw Failure(ExitCode::kNotAvailable,
                  fmt::format("[plugin] '{}' cannot be loaded: {}", path, candidate.cause),
                  candidate.remedy);
  }
  if (!json) print(candidate_text(candidate, probe));
  return ExitCode::kOk;
}

// Throws Failure(kUsage) for arguments that the action does not take, or that it lacks.
void check_plugins_action(const std::string& action, const po::variables_map& values) {
  const std::string see = "; see 'loci plugins --help'";
  const bool is_new = action == "new";
  const bool takes_file = is_new || action == "inspect";
  if ((values.count("file") != 0) != takes_file) {
    throw Failure(ExitCode::kUsage, fmt::format("'plugins {}' {}{}", action,
                                                !takes_file ? "takes no file"
                                                : is_new    ? "needs a name"
                                                            : "needs a file",
                                                see));
  }
  const auto refuse = [&](const char* option, const char* owner) {
    if (values.count(option) == 0 || action == owner) return;
    throw Failure(ExitCode::kUsage, fmt::format("[--{}] is for 'plugins {}', not for 'plugins {}'",
                                                option, owner, action));
  };
  refuse("kind", "new");
  refuse("queued", "new");
  refuse("dir", "new");
}

ExitCode new_plugin(const po::variables_map& values) {
  for (const char* option : {"kind", "dir"}) {
    if (values.count(option) != 0) continue;
    throw Failure(ExitCode::kUsage, fmt::format("'plugins new' needs --{}", option));
  }
  return plugins_new(values["file"].as<std::string>(), values["kind"].as<std::string>(),
                     values["dir"].as<std::string>(),
                     values.count("queued") != 0 ? Work::kQueued : Work::kInline);
}

ExitCode run_plugins_command(const po::variables_map& values) {
  const std::string action =
      values.count("action") == 0 ? "list" : values["action"].as<std::string>();
  check_plugins_action(action, values);
  const bool json = values.count("json") != 0;
  if (action == "new") return new_plugin(values);
  if (action == "doctor") return plugins_doctor(values, json);
  if (action == "inspect") return inspect_file(values, json);
  return list(values, json);
}

}  // namespace

Command plugins_command() {
  Command command;
  command.name = "plugins";
  command.summary = "Lists the plugins that were found, reads one, checks all, or begins one.";
  command.positionals = {{"action",
                          "list | inspect FILE | doctor | new NAME",
                          false,
                          {"list", "inspect", "doctor", "new"}},
                         {"file", "", false}};
  command.declare = declare_plugins_command;
  command.notes =
      "'loci plugins list', the default, reads the manifests in search order: the explicit files,\n"
      "then --plugin-path, LOCI_PLUGIN_PATH and the install directory. With --probe it loads "
      "every\n"
      "plugin too and tells how far it came; one that cannot be loaded is no failure of the list.\n"
      "'loci plugins inspect FILE' reads the manifest of one file without running it; with "
      "--probe a\n"
      "child process runs it. 'loci plugins doctor' checks environment and search path, probes "
      "and\n"
      "loads every plugin, opens every device, and says of each problem what to do; with a "
      "problem it\n"
      "ends with exit code 1. 'loci plugins new NAME --kind KIND --dir DIR' writes the sources of "
      "a\n"
      "plugin to begin with: a device with kernels (backend), device graphs of the backend NAME\n"
      "(capturer), an op with its gradient (op), or a form of profiles (reporter). With --queued "
      "the\n"
      "device has streams that record graphs, events, memory of its own and errors that come "
      "later. It\n"
      "builds out of tree as it is, with a README and a test.\n\n"
      "--probe goes through all that finding devices calls, in a child process with a time limit. "
      "The\n"
      "result is kept in $XDG_CACHE_HOME/loci/probe (else ~/.cache/loci/probe) by the plugin's "
      "build id:\n"
      "a good one until the plugin, Loci or their environment variables change, a crash for a day "
      "at\n"
      "most, a time-out for ten minutes. The doctor always probes, and always anew.\n\n" +
      exit_code_help();
  command.run = run_plugins_command;
  return command;
}

}  // namespace loci::runner
