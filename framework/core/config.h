// Configuration of the process: environment variables LOCI_*, overridden by the application.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loci::core {

// Value of the environment variable LOCI_<NAME>, or of an override set before; none if that is
// empty. An override is how the runner's options reach the core. Names are upper case.
std::optional<std::string> config_value(const std::string& name);
// An empty value is as if the variable were not set. Throws Error(kInvalidArgument), and sets
// nothing, if the value is none that the variable takes (see environment.h).
void set_config_value(const std::string& name, const std::string& value);
// Another number after each of those calls: for who keeps what it has read. No lock is taken.
std::uint64_t config_revision() noexcept;
// Returns what was set, which may be empty; nothing if nothing was set.
std::optional<std::string> config_override(const std::string& name);

// All that is set, and not empty, under names beginning with `prefix`, as pairs of the name's rest
// and the value, in order of the names.
std::vector<std::pair<std::string, std::string>> config_values(const std::string& prefix);

// The seed of random operators: set_seed(), else LOCI_SEED, else 0; any 64-bit number. Logged at
// its first use. Throws as check_environment().
std::uint64_t seed();
void set_seed(std::uint64_t seed);

// Logs the command line once, so that a log tells how the process was started.
void log_command_line(const std::vector<std::string>& arguments);

}  // namespace loci::core
