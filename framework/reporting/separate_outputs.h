// No two outputs of a session in one file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/reporting/open_reporter.h"

namespace loci::reporting {

// Throws Error(kInvalidArgument) that names both if two reporters would write one file, or if one
// would replace the native profile, however the paths are spelt. Reports on standard output follow
// each other. An empty path: no native profile.
void require_separate_outputs(const std::vector<std::unique_ptr<OpenReporter>>& reporters,
                              const std::string& profile_path);

}  // namespace loci::reporting
