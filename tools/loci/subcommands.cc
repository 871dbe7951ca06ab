#include "tools/loci/subcommands.h"

namespace loci::runner {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      run_command(),     bench_command(),   plan_command(), show_command(),   profile_command(),
      plugins_command(), devices_command(), ops_command(),  verify_command(), completion_command()};
  return all;
}

}  // namespace loci::runner
