// loci plugins doctor.
#pragma once

#include "tools/loci/command.h"

namespace loci::runner {

// Checks the environment, searches, probes and loads every candidate and opens every device, prints
// what it found, and throws Failure(kCheckFailed) if there is a problem. Plugins are not logged as
// well, unless --log is given.
ExitCode plugins_doctor(const po::variables_map& values, bool json);

}  // namespace loci::runner
