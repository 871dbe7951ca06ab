#include "framework/core/config.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>

#include "framework/core/log.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

struct Overrides {
  std::mutex mutex;
  std::map<std::string, std::string> values;
};

// Never destroyed: destructors of other statics may still ask.
Overrides& overrides() {
  static auto& instance = *new Overrides();
  return instance;
}

template <class Integer>
Integer parse_in_range(const std::string& name, const std::string& text, Integer low,
                       Integer high) {
  Integer value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < low || value > high) {
    raise(ErrorCode::kInvalidArgument, "[config] LOCI_{} is '{}'; it takes an integer in [{}, {}]",
          name, text, low, high);
  }
  return value;
}

}  // namespace

std::optional<std::string> config_value(const std::string& name) {
  {
    const std::lock_guard lock(overrides().mutex);
    const auto found = overrides().values.find(name);
    if (found != overrides().values.end()) return found->second;
  }
  const char* value = std::getenv(("LOCI_" + name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void set_config_value(const std::string& name, const std::string& value) {
  const std::lock_guard lock(overrides().mutex);
  overrides().values[name] = value;
}

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
  return {found.begin(), found.end()};
}

std::int64_t config_integer(const std::string& name, std::int64_t fallback, std::int64_t low,
                            std::int64_t high) {
  const std::optional<std::string> text = config_value(name);
  return text ? parse_in_range(name, *text, low, high) : fallback;
}

std::uint64_t seed() {
  static std::once_flag logged;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const std::optional<std::string> text = config_value("SEED");
  const std::uint64_t value = text ? parse_in_range<std::uint64_t>("SEED", *text, 0, kLargest) : 0;
  std::call_once(logged, [value] { log(Module::kExecutor, Level::kInfo, "seed {}", value); });
  return value;
}

void set_seed(std::uint64_t seed) { set_config_value("SEED", std::to_string(seed)); }

void log_command_line(const std::vector<std::string>& arguments) {
  log(Module::kExecutor, Level::kInfo, "command line: {}", fmt::join(arguments, " "));
}

}  // namespace loci::core
