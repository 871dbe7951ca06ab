// loci plugins doctor.
#pragma once

#include "tools/loci/failure.h"

namespace loci::runner {

// Loads every candidate and opens every device, prints what it found, and throws
// Failure(kCheckFailed) if there is a problem. Plugins are not logged as well, unless `logs`.
ExitCode plugins_doctor(bool json, bool logs);

}  // namespace loci::runner
