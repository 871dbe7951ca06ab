// The subcommands, one file each.
#pragma once

#include "tools/loci/command.h"

namespace loci::runner {

Command run_command();
Command bench_command();
Command plan_command();
Command profile_command();
Command show_command();
Command plugins_command();
Command devices_command();
Command ops_command();
Command verify_command();
Command completion_command();

}  // namespace loci::runner
