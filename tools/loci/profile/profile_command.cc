#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <loci/profiler.hpp>

#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/profile/diff_json.h"
#include "tools/loci/profile/diff_text.h"
#include "tools/loci/profile/profile_options.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

void declare_profile_command(po::options_description& options) {
  options.add_options()  //
      ("reporter", po::value<std::vector<std::string>>()->composing()->value_name("NAME[=OUT]"),
       "report: what to make, in a file or on standard output (repeatable)")  //
      ("fail-above", po::value<std::string>()->value_name("PCT"),
       "diff: end with exit code 6 if the median step of B took more than PCT percent longer, and "
       "not by chance")  //
      ("json",
       "diff: print one JSON object: step, rows, transfers, waited_transfers, "
       "other_transfers, notes");
  declare_plugin_options(options);
}

[[noreturn]] void refuse(const std::string& message) {
  throw Failure(ExitCode::kUsage, message + "; see 'loci profile --help'");
}

void check_profile_action(const std::string& action, const po::variables_map& values) {
  const bool is_diff = action == "diff";
  if ((values.count("second") != 0) != is_diff) {
    refuse(is_diff ? "'profile diff' needs two files" : "'profile report' takes one file");
  }
  const auto check = [&](const char* option, bool fits) {
    if (values.count(option) != 0 && !fits) {
      refuse(fmt::format("[--{}] is not for 'profile {}'", option, action));
    }
  };
  check("reporter", !is_diff);
  check("fail-above", is_diff);
  check("json", is_diff);
}

double read_fail_limit(const po::variables_map& values) {
  const auto& text = values["fail-above"].as<std::string>();
  double limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(limit) ||
      limit < 0) {
    refuse(fmt::format("[--fail-above] '{}' is no percentage of 0 or more", text));
  }
  return limit;
}

ExitCode report(const po::variables_map& values) {
  std::vector<std::string> reporters = texts(values, "reporter");
  if (reporters.empty()) reporters = {"classic"};
  apply_plugin_options(values);
  in_phase(Phase::kOptions,
           [&] { profiling::check_reporters(values["file"].as<std::string>(), reporters); });
  check_reports(in_phase(Phase::kModel, [&] {
    return profiling::report(values["file"].as<std::string>(), reporters);
  }));
  return ExitCode::kOk;
}

ExitCode compare(const po::variables_map& values) {
  const double limit = values.count("fail-above") != 0 ? read_fail_limit(values) : 0;
  const profiling::ProfileDiff diff = in_phase(Phase::kModel, [&] {
    return profiling::compare(values["file"].as<std::string>(), values["second"].as<std::string>());
  });
  if (values.count("json") != 0) {
    print_json(diff_json(diff));
  } else {
    print(diff_text(diff));
  }
  if (values.count("fail-above") == 0 || !is_slower_by(diff, limit)) return ExitCode::kOk;
  throw Failure(ExitCode::kPolicy,
                fmt::format("[--fail-above] the median step of '{}' took more than {} % longer",
                            values["second"].as<std::string>(), limit));
}

ExitCode run_profile_command(const po::variables_map& values) {
  const auto& action = values["action"].as<std::string>();
  check_profile_action(action, values);
  return action == "diff" ? compare(values) : report(values);
}

}  // namespace

Command profile_command() {
  Command command;
  command.name = "profile";
  command.summary = "Makes reports of a saved profile, or compares two.";
  command.positionals = {
      {"action", "ACTION", true, {"report", "diff"}}, {"file", "FILE"}, {"second", "FILE", false}};
  command.declare = declare_profile_command;
  command.notes =
      "FILE is what 'loci run --profile-path FILE' wrote. A reporter is named as\n"
      "NAME[:OPTION=VALUE[,...]][=FORM][=OUT], such as html=run.html, classic:state=cpu or\n"
      "trace:gzip=on=run.json.gz; 'loci plugins list' shows which there are.\n\n" +
      exit_code_help();
  command.run = run_profile_command;
  return command;
}

}  // namespace loci::runner
