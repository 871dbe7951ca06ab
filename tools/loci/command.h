// Subcommands: their options, their help and how they are called.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "tools/loci/failure.h"

namespace loci::runner {

namespace po = boost::program_options;

// One word on the command line that no option precedes.
struct Positional {
  std::string name;  // in the variables_map
  std::string word;  // in messages and help, "MODEL"; empty if the word before tells of it
  bool required = true;
  std::vector<std::string> choices = {};  // what it may be; empty: anything, such as a path
};

struct Command {
  std::string name;
  std::string summary;  // its line of `loci --help`
  std::vector<Positional> positionals;
  void (*declare)(po::options_description&) = nullptr;
  std::string notes;  // what --help says below the options
  ExitCode (*run)(const po::variables_map&) = nullptr;
};

// All subcommands, in the order of `loci --help`.
const std::vector<Command>& commands();
// Throws Failure(kUsage) for an unknown name.
const Command& find_command(const std::string& name);

// The options that people give, --log and --help too; without the positionals.
po::options_description visible_options(const Command& command);

// "loci run MODEL [options]".
std::string usage_line(const Command& command);
std::string help_text(const Command& command);
// Returns the text of `loci --help`.
std::string overview();

// Reads the arguments behind the subcommand's name. Throws Failure(kUsage) for what it does not
// know, abbreviations too, and for missing words and those that are not one of the choices, unless
// --help is among the arguments.
po::variables_map parse(const Command& command, const std::vector<std::string>& arguments);

// Runs the program, arguments[0] being its own name. Throws Failure and Error.
ExitCode dispatch(const std::vector<std::string>& arguments);

}  // namespace loci::runner
