#include "framework/reporting/peak_cache.h"

#include <fmt/format.h>
#include <sched.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <loci/version.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/thread_team.h"
#include "framework/device/backend_tables.h"
#include "framework/plugin/elf_note.h"
#include "framework/plugin/host_table.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::reporting {
namespace {

constexpr std::size_t kMostLevels = 64;

int allowed_processors() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
}

// Returns the build id of the plugin; if the file has none, or cannot be read any more, its path.
std::string build_of(const plugin::Plugin& plugin) {
  try {
    std::string build = plugin::read_build_id(plugin.path());
    if (!build.empty()) return build;
  } catch (const plugin::LoadError&) {
  }
  return plugin.path();
}

std::string facts_of(const plugin::Plugin& plugin) {
  std::string facts = fmt::format("{} {}\n", plugin.id(), build_of(plugin));
  for (const auto& [key, value] : plugin::settings_of(plugin.id())) {
    facts += fmt::format("{}={}\n", key, value);
  }
  return facts;
}

// All that the figures hang on, as text. Others than the device's plugin may bring its kernels.
std::string facts_of(const device::Device& device) {
  const device::DeviceInfo& info = device.info();
  std::string facts = fmt::format(
      "{}\n{}\n{}\n{}\n{}\n{} threads\n{} processors\n{}\n", device.place().to_string(), info.name,
      info.arch, info.uuid, info.driver, core::parallel_width(), allowed_processors(), version());
  facts += facts_of(device.plugin());
  auto& plugins = plugin::PluginManager::instance();
  for (const device::KernelLibrary* library :
       device::kernel_libraries(plugins, device.place().type())) {
    facts += facts_of(*library->plugin);
  }
  return facts;
}

bool read_number(std::istream& file, double& number) {
  std::string word;
  if (!(file >> word)) return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(number);
}

bool read_levels(std::istream& file, Peaks& peaks) {
  std::size_t count = 0;
  if (!(file >> count) || count == 0 || count > kMostLevels) return false;
  for (std::size_t i = 0; i < count; ++i) {
    profiler::MemoryLevel& level = peaks.levels.emplace_back();
    if (!(file >> level.call_bytes) || !read_number(file, level.bytes) || level.bytes <= 0) {
      return false;
    }
    if (i > 0 && level.call_bytes <= peaks.levels[i - 1].call_bytes) return false;
  }
  return peaks.levels.back().bytes == peaks.bytes;
}

std::string text_of(const Peaks& peaks) {
  std::string text =
      fmt::format("{} {}\n{} {} {}\n{}\n", peaks.flops, peaks.bytes, peaks.measured_at,
                  peaks.others, peaks.is_steady ? 1 : 0, peaks.levels.size());
  for (const profiler::MemoryLevel& level : peaks.levels) {
    text += fmt::format("{} {}\n", level.call_bytes, level.bytes);
  }
  return text;
}

sdk::CacheRules rules() {
  constexpr std::uint64_t kMostBytes = std::uint64_t{64}
                                       << 10;  // the facts, with settings, are most of it
  sdk::CacheRules rules;
  rules.form = "peaks-5";
  rules.suffix = ".peaks";
  rules.file_bytes = kMostBytes;
  rules.folder_bytes = PeakCache::kMostEntries * kMostBytes;
  rules.files = PeakCache::kMostEntries;
  return rules;
}

// Gives the name that people know the device by.
std::string title_of(const device::Device& device) {
  return fmt::format("{}-{}", device.place().to_string(), device.info().name);
}

}  // namespace

PeakCache::PeakCache(std::string directory) : folder_(std::move(directory), rules()) {}

std::optional<Peaks> PeakCache::find(const device::Device& device) const {
  if (!folder_.keeps()) return std::nullopt;
  const std::optional<std::string> text = folder_.find(title_of(device), facts_of(device));
  if (!text) return std::nullopt;
  std::istringstream file(*text);
  Peaks peaks;
  if (!read_number(file, peaks.flops) || !read_number(file, peaks.bytes)) return std::nullopt;
  if (!(file >> peaks.measured_at) || !read_number(file, peaks.others)) return std::nullopt;
  if (!(file >> peaks.is_steady) || !read_levels(file, peaks)) return std::nullopt;
  if (peaks.flops <= 0 || peaks.bytes <= 0) return std::nullopt;
  return peaks;
}

void PeakCache::keep(const device::Device& device, const Peaks& peaks) const {
  if (!folder_.keeps()) return;
  const std::string failure = folder_.keep(title_of(device), facts_of(device), text_of(peaks));
  if (failure.empty()) return;
  core::log(core::Module::kProfiler, core::Level::kDebug, "peaks are not kept: {}", failure);
}

}  // namespace loci::reporting
