// The environment variables that change what Loci and its plugins do.
#pragma once

#include <string>
#include <vector>

namespace loci::runner {

// One that is set. Problem and remedy are empty if it is well-formed.
struct CheckedVariable {
  std::string name;
  std::string value;
  std::string problem;  // it cannot work so
  std::string remedy;
  std::string note;  // it may not be what was meant
};

// Those of Loci, of the plugins with these ids, and of the dynamic linker and the drivers, by name.
// `environment` is as environ.
std::vector<CheckedVariable> check_environment(const char* const* environment,
                                               const std::vector<std::string>& plugin_ids);

// Makes Loci go on as if those of its own variables that are wrong were not set.
void ignore_wrong_variables(const char* const* environment);

}  // namespace loci::runner
