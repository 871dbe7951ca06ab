// The texts that a shell may complete, read from the declarations of the subcommands.
#pragma once

#include <string>
#include <vector>

#include "tools/loci/command.h"

namespace loci::runner {

// The texts that may stand behind an option or in the place of a word.
struct Completion {
  enum class Kind { kNothing, kChoices, kFiles, kDirectories };

  Kind kind = Kind::kNothing;
  std::vector<std::string> choices;  // of kChoices
};

struct CompletedOption {
  std::string name;  // "--feed"
  std::string description;
  std::string value_name;  // empty if it takes no value
  bool repeatable = false;
  Completion value;
};

struct CompletedWord {
  std::string name;
  Completion value;
};

struct CompletedCommand {
  std::string name;
  std::string summary;
  std::vector<CompletedOption> options;
  std::vector<CompletedWord> words;
};

std::vector<CompletedCommand> completed_commands(const std::vector<Command>& commands);

// Scripts to be read by the shell.
std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);

}  // namespace loci::runner
