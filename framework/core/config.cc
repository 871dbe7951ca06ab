#include "framework/core/config.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

struct Overrides {
  std::mutex mutex;
  std::map<std::string, std::string> values;
};

std::atomic<std::uint64_t> revision{1};

// Never destroyed: destructors of other statics may still ask.
Overrides& overrides() {
  static auto& instance = *new Overrides();
  return instance;
}

}  // namespace

std::optional<std::string> config_override(const std::string& name) {
  const std::lock_guard lock(overrides().mutex);
  const auto found = overrides().values.find(name);
  return found == overrides().values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> config_value(const std::string& name) {
  std::optional<std::string> value = config_override(name);
  if (!value) {
    if (const char* set = std::getenv(("LOCI_" + name).c_str())) value = set;
  }
  return value && value->empty() ? std::nullopt : value;
}

void set_config_value(const std::string& name, const std::string& value) {
  const std::string problem = problem_of(name, value);
  if (!problem.empty()) {
    raise(ErrorCode::kInvalidArgument, "[config] LOCI_{} {}", name, problem);
  }
  const std::lock_guard lock(overrides().mutex);
  overrides().values[name] = value;
  revision.fetch_add(1, std::memory_order_release);
}

std::uint64_t config_revision() noexcept { return revision.load(std::memory_order_acquire); }

std::vector<std::pair<std::string, std::string>> config_values(const std::string& prefix) {
  std::map<std::string, std::string> found;
  const std::string start = "LOCI_" + prefix;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.substr(0, start.size()) != start) continue;
    if (equals <= start.size()) continue;
    found[std::string(text.substr(start.size(), equals - start.size()))] = text.substr(equals + 1);
  }
  const std::lock_guard lock(overrides().mutex);
  for (const auto& entry : overrides().values) {
    if (entry.first.size() > prefix.size() && entry.first.rfind(prefix, 0) == 0) {
      found[entry.first.substr(prefix.size())] = entry.second;
    }
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.empty(); });
  return {found.begin(), found.end()};
}

std::uint64_t seed() {
  static std::once_flag logged;
  const std::uint64_t value = configured_number("SEED").value_or(0);
  std::call_once(logged, [value] { log(Module::kExecutor, Level::kInfo, "seed {}", value); });
  return value;
}

void set_seed(std::uint64_t seed) { set_config_value("SEED", std::to_string(seed)); }

void log_command_line(const std::vector<std::string>& arguments) {
  log(Module::kExecutor, Level::kInfo, "command line: {}", fmt::join(arguments, " "));
}

}  // namespace loci::core
