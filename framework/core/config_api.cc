#include <loci/settings.hpp>
#include <string_view>

#include "framework/core/config.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"

namespace loci {
inline namespace v0 {
namespace config {

void set_log_levels(const std::string& spec) {
  core::check_environment();
  core::set_log_levels(spec);
}

std::vector<std::string> log_levels() { return core::log_level_names(); }

std::vector<std::string> log_modules() { return core::log_module_names(); }

// An override comes before the check: it takes the place of a variable that is wrong.
void set_seed(std::uint64_t seed) {
  core::set_seed(seed);
  core::check_environment();
}

void set_threads(int threads) {
  if (threads < 1) {
    core::raise(ErrorCode::kInvalidArgument, "[threads] {} is not in [1, 4096]", threads);
  }
  core::set_process_width(static_cast<std::uint32_t>(threads));
  core::set_config_value("THREADS", std::to_string(threads));
  core::check_environment();
}

int threads() {
  core::check_environment();
  return static_cast<int>(core::process_width());
}

void set(const std::string& name, const std::string& value) { core::set_config_value(name, value); }

void check_environment() { core::check_environment(); }

std::vector<EnvironmentVariable> environment_variables() {
  std::vector<EnvironmentVariable> variables;
  for (const core::EnvironmentVariable& variable : core::environment_variables()) {
    variables.push_back({std::string("LOCI_") + variable.name, variable.takes, variable.meaning});
  }
  return variables;
}

std::string problem_of(const std::string& name, const std::string& value) {
  constexpr std::string_view kPrefix = "LOCI_";
  if (name.rfind(kPrefix, 0) != 0) return {};
  return core::problem_of(std::string_view(name).substr(kPrefix.size()), value);
}

void log_command_line(const std::vector<std::string>& arguments) {
  core::check_environment();
  core::log_command_line(arguments);
}

}  // namespace config
}  // namespace v0
}  // namespace loci
