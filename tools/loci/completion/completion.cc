#include "tools/loci/completion/completion.h"

#include <boost/program_options/value_semantic.hpp>
#include <loci/settings.hpp>
#include <sstream>

namespace loci::runner {
namespace {

using Kind = Completion::Kind;

// Returns what a choice stands for: LEVEL and MODULE= for those of the log, any other for itself.
std::vector<std::string> meant_by(const std::string& choice) {
  if (choice == "LEVEL") return config::log_levels();
  if (choice != "MODULE=") return {choice};
  std::vector<std::string> modules = config::log_modules();
  for (std::string& module : modules) module += '=';
  return modules;
}

// "error|warn|allow" names the values themselves, "sync=N" what one begins with; FILE and DIR say
// what kind of path it is.
Completion completion_of(const std::string& value_name) {
  if (value_name == "FILE") return {Kind::kFiles, {}};
  if (value_name == "DIR") return {Kind::kDirectories, {}};
  if (value_name.find('|') == std::string::npos) return {};
  Completion completion{Kind::kChoices, {}};
  std::istringstream stream(value_name);
  for (std::string choice; std::getline(stream, choice, '|');) {
    const std::size_t equals = choice.find('=');
    if (equals != std::string::npos) choice.resize(equals + 1);
    const std::vector<std::string> meant = meant_by(choice);
    completion.choices.insert(completion.choices.end(), meant.begin(), meant.end());
  }
  return completion;
}

CompletedOption completed(const po::option_description& option) {
  CompletedOption result;
  result.name = "--" + option.long_name();
  result.description = option.description();
  if (option.semantic()->max_tokens() == 0) return result;
  result.value_name = option.format_parameter();
  result.repeatable = option.semantic()->is_composing();
  result.value = completion_of(result.value_name);
  return result;
}

// All that is not one of a few words is a path: of a model, of a plugin.
CompletedWord completed(const Positional& positional) {
  if (positional.choices.empty()) return {positional.name, {Kind::kFiles, {}}};
  return {positional.name, {Kind::kChoices, positional.choices}};
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const std::vector<Command>& commands) {
  std::vector<CompletedCommand> all;
  for (const Command& command : commands) {
    CompletedCommand& entry = all.emplace_back();
    entry.name = command.name;
    entry.summary = command.summary;
    const po::options_description options = visible_options(command);
    for (const auto& option : options.options()) entry.options.push_back(completed(*option));
    for (const Positional& positional : command.positionals) {
      entry.words.push_back(completed(positional));
    }
  }
  return all;
}

}  // namespace loci::runner
