// Settings of the process. Each has an environment variable too, which a call here overrides.
//
// The variables are read and checked once, by the first call into the library that needs any of it,
// whichever that is: it throws Error(kInvalidArgument) with the variable, its value and what it
// takes, and so does each further call until that is corrected, in the environment or by a call
// here. An empty value counts as not set. Plugins check their own variables, LOCI_<PLUGIN>..., when
// they are loaded.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace config {

// LOCI_LOG: "operator=trace,transfer=debug", or one level for all modules. Throws
// Error(kInvalidArgument) that names the entry.
LOCI_PUBLIC void set_log_levels(const std::string& spec);
// Return what LOCI_LOG takes: levels, from the one that logs most, "trace", to "off"; modules.
LOCI_PUBLIC std::vector<std::string> log_levels();
LOCI_PUBLIC std::vector<std::string> log_modules();

// LOCI_SEED: of random operators, 0 by default. Takes effect for scopes without random state yet.
LOCI_PUBLIC void set_seed(std::uint64_t seed);

// LOCI_THREADS: how many threads the process uses for kernels. Throws Error(kInvalidArgument)
// outside [1, 4096]. The child of a fork() has threads of its own.
LOCI_PUBLIC void set_threads(int threads);
LOCI_PUBLIC int threads();

// Any other variable by its name without LOCI_, such as "CPU_ONEDNN". An empty value is as if it
// were not set. Throws Error(kInvalidArgument) for a value that a variable of Loci's does not take.
LOCI_PUBLIC void set(const std::string& name, const std::string& value);

struct EnvironmentVariable {
  std::string name;     // "LOCI_THREADS"
  std::string takes;    // "an integer in [1, 4096]"
  std::string meaning;  // "how many threads run kernels"
};
// All that Loci itself reads, by name.
LOCI_PUBLIC std::vector<EnvironmentVariable> environment_variables();
// Says what is wrong with a value: "is '0'; it takes an integer in [1, 4096]". Empty if nothing is,
// or if Loci itself does not read the variable.
LOCI_PUBLIC std::string problem_of(const std::string& name, const std::string& value);
// Checks the environment now: see above.
LOCI_PUBLIC void check_environment();

// Logs how the process was started (level info of the executor).
LOCI_PUBLIC void log_command_line(const std::vector<std::string>& arguments);

}  // namespace config
}  // namespace v0
}  // namespace loci
