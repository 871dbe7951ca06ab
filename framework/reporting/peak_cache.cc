#include "framework/reporting/peak_cache.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <loci/version.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/digest.h"
#include "framework/core/log.h"
#include "framework/core/thread_team.h"
#include "framework/device/backend_tables.h"
#include "framework/plugin/elf_note.h"
#include "framework/plugin/host_table.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/plugin_manager.h"

namespace loci::reporting {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kForm = "peaks-4";  // of the file
constexpr std::size_t kMostLevels = 64;
constexpr std::uintmax_t kMostBytes = 8192;  // of a file; one with all levels has half of that

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

std::string plain_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-' && c != '.') c = '_';
  }
  constexpr std::size_t kMostName = 200;  // a file name has 255 bytes
  return name.substr(0, kMostName);
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

// Opening what is no file may take for ever, and reading a large one long.
bool may_be_entry(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) <= kMostBytes && !error;
}

// Removes old entries, as nobody else disposes of those for devices, settings and builds that are
// not used any more. Entries that cannot be removed are left.
void remove_oldest(const std::string& directory) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::error_code gone;  // another process does the same
    const fs::file_time_type written = entry.last_write_time(gone);
    if (!gone && !entry.is_directory(gone)) files.emplace_back(written, entry.path());
  }
  if (files.size() <= PeakCache::kMostEntries) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - PeakCache::kMostEntries);
  for (const auto& [written, path] : files) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

std::string text_of(const Peaks& peaks) {
  std::string text =
      fmt::format("{}\n{} {}\n{} {} {}\n{}\n", kForm, peaks.flops, peaks.bytes, peaks.measured_at,
                  peaks.others, peaks.is_steady ? 1 : 0, peaks.levels.size());
  for (const profiler::MemoryLevel& level : peaks.levels) {
    text += fmt::format("{} {}\n", level.call_bytes, level.bytes);
  }
  return text;
}

}  // namespace

std::string PeakCache::directory_of_user() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/loci/peaks";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/loci/peaks";
  return {};
}

// A name that people know it by, and one for each set of facts.
std::string PeakCache::path_of(const device::Device& device) const {
  const std::string digest = core::digest_text(core::digest_of(facts_of(device)));
  const std::string name =
      plain_name(fmt::format("{}-{}", device.place().to_string(), device.info().name));
  return fmt::format("{}/{}-{}", directory_, name, digest.substr(digest.find(':') + 1));
}

std::optional<Peaks> PeakCache::find(const device::Device& device) const {
  if (directory_.empty()) return std::nullopt;
  const std::string path = path_of(device);
  if (!may_be_entry(path)) return std::nullopt;
  std::ifstream file(path);
  std::string form;
  Peaks peaks;
  if (!(file >> form) || form != kForm) return std::nullopt;
  if (!read_number(file, peaks.flops) || !read_number(file, peaks.bytes)) return std::nullopt;
  if (!(file >> peaks.measured_at) || !read_number(file, peaks.others)) return std::nullopt;
  if (!(file >> peaks.is_steady) || !read_levels(file, peaks)) return std::nullopt;
  if (peaks.flops <= 0 || peaks.bytes <= 0) return std::nullopt;
  return peaks;
}

void PeakCache::keep(const device::Device& device, const Peaks& peaks) const {
  if (directory_.empty()) return;
  try {
    std::filesystem::create_directories(directory_);
    core::AtomicFile file(path_of(device), core::Links::kReplace);
    const std::string text = text_of(peaks);
    file.write(text.data(), text.size());
    file.commit();
    remove_oldest(directory_);
  } catch (const std::exception& error) {
    core::log(core::Module::kProfiler, core::Level::kDebug, "peaks are not kept: {}", error.what());
  }
}

}  // namespace loci::reporting
