// Configuration of the process: environment variables LOCI_*, overridden by the application.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loci::core {

// Value of the environment variable LOCI_<NAME>, or of an override set before. An override is how
// the runner's options reach the core. Names are upper case.
std::optional<std::string> config_value(const std::string& name);
void set_config_value(const std::string& name, const std::string& value);

// All that is set under names beginning with `prefix`, as pairs of the name's rest and the value,
// in order of the names.
std::vector<std::pair<std::string, std::string>> config_values(const std::string& prefix);

// LOCI_<NAME> as a number. Throws Error(kInvalidArgument) with the variable, the value and the
// range unless it is an integer in [low, high].
std::int64_t config_integer(const std::string& name, std::int64_t fallback, std::int64_t low,
                            std::int64_t high);

// The seed of random operators: set_seed(), else LOCI_SEED, else 0; any 64-bit number. Logged at
// its first use. Throws Error(kInvalidArgument) if LOCI_SEED is not a number.
std::uint64_t seed();
void set_seed(std::uint64_t seed);

// Logs the command line once, so that a log tells how the process was started.
void log_command_line(const std::vector<std::string>& arguments);

}  // namespace loci::core
