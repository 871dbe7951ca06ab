#include "tools/loci/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <loci/settings.hpp>
#include <loci/version.hpp>
#include <optional>
#include <sstream>

#include "tools/loci/devices/device_survey.h"
#include "tools/loci/doctor/environment_check.h"
#include "tools/loci/output.h"
#include "tools/loci/plugin_calls.h"
#include "tools/loci/probe/plugin_probe.h"

namespace loci::runner {
namespace {

// Wide enough for the longest option, on a terminal of 100 columns.
constexpr unsigned kHelpWidth = 100;

po::variables_map read(const Command& command, const std::vector<std::string>& arguments) {
  po::options_description all = visible_options(command);
  po::positional_options_description positions;
  for (const Positional& positional : command.positionals) {
    all.add_options()(positional.name.c_str(), po::value<std::string>());
    positions.add(positional.name.c_str(), 1);
  }
  namespace style = po::command_line_style;
  po::variables_map values;
  po::store(po::command_line_parser(arguments)
                .options(all)
                .positional(positions)
                .style(style::unix_style & ~style::allow_guessing)
                .run(),
            values);
  po::notify(values);
  return values;
}

std::string log_description() {
  return fmt::format(
      "what is logged: a level for all, or levels by module, as in operator=trace,transfer=debug; "
      "levels: {}; modules: {}",
      fmt::join(config::log_levels(), ", "), fmt::join(config::log_modules(), ", "));
}

bool is_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

// Before anything else, so that a wrong variable is one error, whatever the subcommand is. Help
// does without; `plugins doctor` reports what is wrong with everything else that is, and goes on,
// with the children that probe for it, as if those variables were not set.
void prepare_environment(const std::string& subcommand, const std::vector<std::string>& arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), is_help)) return;
  const bool examines = subcommand == "plugins" &&
                        std::find(arguments.begin(), arguments.end(), "doctor") != arguments.end();
  const bool is_child = subcommand == kProbeSubcommand || subcommand == kSurveySubcommand;
  if (examines || is_child) return ignore_wrong_variables(environ);
  in_phase(Phase::kOptions, [] { config::check_environment(); });
}

ExitCode help(const std::vector<std::string>& topics) {
  if (topics.size() > 1) {
    throw Failure(ExitCode::kUsage, "'help' takes one subcommand; see 'loci --help'");
  }
  print(topics.empty() ? overview() : help_text(find_command(topics[0])));
  return ExitCode::kOk;
}

void check_choice(const Positional& positional, const po::variables_map& values,
                  const std::string& see) {
  if (positional.choices.empty() || values.count(positional.name) == 0) return;
  const auto& word = values[positional.name].as<std::string>();
  const std::vector<std::string>& choices = positional.choices;
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return;
  throw Failure(ExitCode::kUsage,
                fmt::format("'{}' is not one of {}{}", word, fmt::join(choices, ", "), see));
}

}  // namespace

po::options_description visible_options(const Command& command) {
  po::options_description options("Options", kHelpWidth, kHelpWidth / 2);
  command.declare(options);
  options.add_options()  //
      ("log", po::value<std::string>()->value_name("LEVEL|MODULE=LEVEL,..."),
       log_description().c_str())  //
      ("help,h", "print this and end");
  return options;
}

const Command& find_command(const std::string& name) {
  const std::vector<Command>& all = commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Command& command) { return command.name == name; });
  if (found != all.end()) return *found;
  std::string known;
  for (const Command& command : all) known += (known.empty() ? "" : ", ") + command.name;
  throw Failure(
      ExitCode::kUsage,
      fmt::format("there is no subcommand '{}'; there are {}; see 'loci --help'", name, known));
}

std::string usage_line(const Command& command) {
  std::string line = "loci " + command.name;
  for (const Positional& positional : command.positionals) {
    if (positional.word.empty()) continue;
    line += positional.required ? " " + positional.word : " [" + positional.word + "]";
  }
  return line + " [options]";
}

std::string help_text(const Command& command) {
  std::string text = fmt::format("usage: {}\n\n{}\n\n", usage_line(command), command.summary);
  std::ostringstream options;
  options << visible_options(command);
  text += options.str();
  return command.notes.empty() ? text : text + "\n" + command.notes;
}

std::string overview() {
  std::string text =
      "usage: loci SUBCOMMAND [options]\n\nRuns deep-learning programs and puts every operator in "
      "its place.\n\nSubcommands:\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  text += "\n'loci help SUBCOMMAND' tells its options; 'loci --version' the version.\n\n";
  text += "Environment, where an empty value counts as not set:\n";
  for (const config::EnvironmentVariable& variable : config::environment_variables()) {
    text += fmt::format("  {:<20}{} ({})\n", variable.name, variable.meaning, variable.takes);
  }
  return text + "\n" + exit_code_help();
}

po::variables_map parse(const Command& command, const std::vector<std::string>& arguments) {
  const std::string see = fmt::format("; see 'loci {} --help'", command.name);
  po::variables_map values;
  try {
    values = read(command, arguments);
  } catch (const po::error& error) {
    throw Failure(ExitCode::kUsage, error.what() + see);
  }
  if (values.count("help") != 0) return values;
  for (const Positional& positional : command.positionals) {
    check_choice(positional, values, see);
    if (positional.required && values.count(positional.name) == 0) {
      throw Failure(ExitCode::kUsage, positional.word + " is missing" + see);
    }
  }
  return values;
}

ExitCode dispatch(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    throw Failure(ExitCode::kUsage, "a subcommand is missing; see 'loci --help'", overview());
  }
  const std::string& first = arguments[1];
  const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
  if (is_help(first) || first == "help") return help(rest);
  if (first == "--version") {
    print(fmt::format("loci {}\n", version()));
    return ExitCode::kOk;
  }
  prepare_environment(first, rest);
  if (first == kProbeSubcommand) return probe_in_child(rest);
  if (first == kSurveySubcommand) return survey_in_child(rest);
  const Command& command = find_command(first);
  const po::variables_map values = parse(command, rest);
  if (values.count("help") != 0) {
    print(help_text(command));
    return ExitCode::kOk;
  }
  in_phase(Phase::kOptions, [&] {
    if (values.count("log") != 0) config::set_log_levels(values["log"].as<std::string>());
    config::log_command_line(arguments);
  });
  // `verify` runs what a plugin does in children of its own, which it forks.
  std::optional<PluginCalls> calls;
  if (command.name != "verify") calls.emplace();
  return command.run(values);
}

}  // namespace loci::runner
