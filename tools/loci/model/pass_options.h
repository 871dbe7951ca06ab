// The options that name passes.
#pragma once

#include <string>

namespace loci::runner {

// Throws Failure(kUsage) with the names that there are unless there is a pass of that name.
void check_pass(const std::string& option, const std::string& name);

// The passes with what they do, for --help.
std::string pass_help();

}  // namespace loci::runner
