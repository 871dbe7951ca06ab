#include <fmt/format.h>

#include <loci/inspect.hpp>
#include <loci/io.hpp>

#include "tools/loci/model/pass_options.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

void declare_show_command(po::options_description& options) {
  declare_plugin_options(options);
  options.add_options()  //
      ("format", po::value<std::string>()->value_name("text|dot|json"),
       "text is the default, dot is for Graphviz, json the file form")  //
      ("after-pass", po::value<std::string>()->value_name("NAME"),
       "show what the passes up to this one make of it")         //
      ("startup", "show the startup program")                    //
      ("check", "compare all of the weights with their digest")  //
      ("json", "the same as --format json");
}

std::string read_format(const po::variables_map& values) {
  const bool json = values.count("json") != 0;
  if (values.count("format") == 0) return json ? "json" : "text";
  const auto& format = values["format"].as<std::string>();
  if (format != "text" && format != "dot" && format != "json") {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--format] '{}' is not one of text, dot, json", format));
  }
  if (json && format != "json") {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--format] '{}' and --json exclude each other; leave one", format));
  }
  return format;
}

std::string render(const Program& program, const std::string& format) {
  if (format == "dot") return inspect::to_dot(program);
  return format == "json" ? inspect::to_json(program) : program.to_string();
}

Program rewritten(const Program& program, const po::variables_map& values) {
  if (values.count("after-pass") == 0) return program;
  return inspect::after_passes(program, {}, values["after-pass"].as<std::string>());
}

ExitCode run_show_command(const po::variables_map& values) {
  const std::string format = read_format(values);
  if (values.count("after-pass") != 0) {
    check_pass("after-pass", values["after-pass"].as<std::string>());
  }
  apply_plugin_options(values);  // for the ops that plugins bring
  const auto& path = values["model"].as<std::string>();
  const io::LoadOptions load{values.count("check") != 0};
  const io::Model model = in_phase(Phase::kModel, [&] { return io::load_model(path, load); });
  const bool startup = values.count("startup") != 0;
  if (startup && !model.startup) {
    throw Failure(
        ExitCode::kBadInput,
        fmt::format("[--startup] the model '{}' has no startup program; leave the option", path));
  }
  std::string text = in_phase(Phase::kModel, [&] {
    return render(rewritten(startup ? *model.startup : model.main, values), format);
  });
  if (text.empty() || text.back() != '\n') text += '\n';
  print(text);
  return ExitCode::kOk;
}

}  // namespace

Command show_command() {
  Command command;
  command.name = "show";
  command.summary = "Prints the program of a model.";
  command.positionals = {{"model", "MODEL"}};
  command.declare = declare_show_command;
  command.notes = "MODEL is a program directory.\n\n" + pass_help() + "\n" + exit_code_help();
  command.run = run_show_command;
  return command;
}

}  // namespace loci::runner
