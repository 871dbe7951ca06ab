// Settings of the process. Each has an environment variable too, which a call here overrides.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace config {

// LOCI_LOG: "operator=trace,transfer=debug", or one level for all modules (plugin device memory
// transfer operator program pass executor eager capture profiler parallel io; trace debug info warn
// error off). Throws Error(kInvalidArgument) that names the entry.
LOCI_PUBLIC void set_log_levels(const std::string& spec);

// LOCI_SEED: of random operators, 0 by default. Takes effect for scopes without random state yet.
LOCI_PUBLIC void set_seed(std::uint64_t seed);

// LOCI_THREADS: how many threads the process uses for kernels. Throws Error(kInvalidArgument)
// outside [1, 4096].
LOCI_PUBLIC void set_threads(int threads);
LOCI_PUBLIC int threads();

// Any other variable by its name without LOCI_, such as "CPU_ONEDNN".
LOCI_PUBLIC void set(const std::string& name, const std::string& value);

// Logs how the process was started (level info of the executor).
LOCI_PUBLIC void log_command_line(const std::vector<std::string>& arguments);

}  // namespace config
}  // namespace v0
}  // namespace loci
