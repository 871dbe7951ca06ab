// The environment variables LOCI_* of the core, read and checked once, before anything uses one.
//
// An empty value counts as not set, as of every LOCI_* variable. Those of plugins, LOCI_<PLUGIN>
// and LOCI_<PLUGIN>_<OPTION>, each plugin checks when it is created.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loci::core {

// A description of one of the environment variables that there are.
struct EnvironmentVariable {
  const char* name;     // without LOCI_: "THREADS"
  std::string takes;    // "an integer in [1, 4096]"
  const char* meaning;  // "how many threads run kernels"
};
const std::vector<EnvironmentVariable>& environment_variables();

// Says what is wrong with a variable's value: "is '0'; it takes an integer in [1, 4096]". Empty if
// nothing is, or if the variable is none of these.
std::string problem_of(std::string_view name, const std::string& value);

// Reads and checks all variables, and applies LOCI_LOG; after the first call that succeeds it does
// nothing. Overrides of the application (config.h) count as values. Throws Error(kInvalidArgument)
// that names the first variable that is wrong, its value and what it takes; the others that are
// wrong are in its details. For entry points of the library: whichever is called first throws, on
// the caller's thread.
void check_environment();

// Returns the integer that a variable has: the application's override, else the environment's when
// it was checked; none where it is not set. Checks first, and throws as check_environment() does.
std::optional<std::uint64_t> configured_number(std::string_view name);

}  // namespace loci::core
