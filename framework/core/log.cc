#include "framework/core/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstring>
#include <loci/plugin/terminal_text.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"

namespace loci::core {
namespace {

constexpr std::size_t kModules = static_cast<std::size_t>(Module::kCount);
constexpr std::array<const char*, kModules> kModuleNames{
    "plugin",   "device", "memory",  "transfer", "operator", "program", "pass",
    "executor", "eager",  "capture", "profiler", "parallel", "io"};
constexpr std::array<const char*, 6> kLevelNames{"trace", "debug", "info", "warn", "error", "off"};

using Clock = std::chrono::steady_clock;
const Clock::time_point kStart = Clock::now();

// Never destroyed: destructors of other statics may still log.
spdlog::logger& sink() {
  static spdlog::logger& logger = *[] {
    auto made =
        std::make_unique<spdlog::logger>("loci", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made.release();
  }();
  return logger;
}

template <std::size_t N>
std::size_t index_of(std::string_view name, const std::array<const char*, N>& names,
                     std::string_view kind, std::string_view entry) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return i;
  }
  raise(ErrorCode::kInvalidArgument, "[log] {} names no {} in {}{}", quote(name), kind,
        quote(entry), suggest(name, {names.begin(), names.end()}));
}

struct Setting {
  std::optional<std::size_t> module;  // none: all of them
  Level level;
};

Setting parse_entry(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  Setting setting{};
  std::string_view level = entry;
  if (equals != std::string_view::npos) {
    setting.module = index_of(entry.substr(0, equals), kModuleNames, "module", entry);
    level = entry.substr(equals + 1);
  }
  setting.level = static_cast<Level>(index_of(level, kLevelNames, "level", entry));
  return setting;
}

std::vector<Setting> parse_spec(std::string_view spec) {
  std::vector<Setting> settings;
  while (!spec.empty()) {
    const std::size_t comma = spec.find(',');
    settings.push_back(parse_entry(spec.substr(0, comma)));
    spec = comma == std::string_view::npos ? std::string_view() : spec.substr(comma + 1);
  }
  return settings;
}

const char* base_name(const char* file) {
  const char* slash = std::strrchr(file, '/');
  return slash == nullptr ? file : slash + 1;
}

}  // namespace

namespace detail {
std::array<ModuleLevel, kModules> levels;
}  // namespace detail

std::uint32_t thread_number() noexcept {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

void set_log_levels(std::string_view spec) {
  for (const Setting& setting : parse_spec(spec)) {
    for (std::size_t i = 0; i < kModules; ++i) {
      if (!setting.module || *setting.module == i) {
        detail::levels[i].value.store(setting.level, std::memory_order_relaxed);
      }
    }
  }
}

void check_log_levels(std::string_view spec) { (void)parse_spec(spec); }

std::vector<std::string> log_level_names() { return {kLevelNames.begin(), kLevelNames.end()}; }

std::vector<std::string> log_module_names() { return {kModuleNames.begin(), kModuleNames.end()}; }

void write_log(Module module, Level level, std::string_view message, const char* file, int line) {
  if (!log_enabled(module, level)) return;
  const double elapsed = std::chrono::duration<double, std::micro>(Clock::now() - kStart).count();
  sink().log(spdlog::level::info, "{:5} {:12.1f}us t{} {} {}:{}] {}",
             kLevelNames[static_cast<std::size_t>(level)], elapsed, thread_number(),
             kModuleNames[static_cast<std::size_t>(module)], base_name(file), line,
             sdk::terminal_text(message));
}

}  // namespace loci::core
