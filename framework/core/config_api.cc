#include <loci/settings.hpp>

#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"

namespace loci {
inline namespace v0 {
namespace config {

void set_log_levels(const std::string& spec) {
  core::init_log_from_environment();
  core::set_log_levels(spec);
}

void set_seed(std::uint64_t seed) { core::set_seed(seed); }

void set_threads(int threads) {
  if (threads < 1) {
    core::raise(ErrorCode::kInvalidArgument, "[threads] {} is not in [1, 4096]", threads);
  }
  core::set_process_width(static_cast<std::uint32_t>(threads));
}

int threads() { return static_cast<int>(core::process_width()); }

void set(const std::string& name, const std::string& value) { core::set_config_value(name, value); }

void log_command_line(const std::vector<std::string>& arguments) {
  core::init_log_from_environment();
  core::log_command_line(arguments);
}

}  // namespace config
}  // namespace v0
}  // namespace loci
