// loci plugins new.
#pragma once

#include <string>

#include "tools/loci/failure.h"
#include "tools/loci/plugins/plugin_template.h"

namespace loci::runner {

// Writes the template of a plugin into a directory, which is made and must have no files. Throws
// Failure: kUsage for a name, kind or directory that does not fit, kFailed if it cannot be written.
ExitCode plugins_new(const std::string& name, const std::string& kind, const std::string& directory,
                     Work work);

}  // namespace loci::runner
