#include "tools/loci/completion/completion.h"
#include "tools/loci/output.h"
#include "tools/loci/subcommands.h"

namespace loci::runner {
namespace {

void declare_completion_command(po::options_description&) {}

ExitCode run_completion_command(const po::variables_map& values) {
  const std::vector<CompletedCommand> all = completed_commands(commands());
  print(values["shell"].as<std::string>() == "zsh" ? zsh_completion(all) : bash_completion(all));
  return ExitCode::kOk;
}

}  // namespace

Command completion_command() {
  Command command;
  command.name = "completion";
  command.summary = "Prints what makes a shell complete the arguments of loci.";
  command.positionals = {{"shell", "bash | zsh", true, {"bash", "zsh"}}};
  command.declare = declare_completion_command;
  command.notes =
      "bash: source <(loci completion bash)\n"
      "zsh:  loci completion zsh > DIR/_loci, DIR being in $fpath\n\n" +
      exit_code_help();
  command.run = run_completion_command;
  return command;
}

}  // namespace loci::runner
