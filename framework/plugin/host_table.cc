#include "framework/plugin/host_table.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <string_view>

#include "framework/core/abi/error.h"
#include "framework/core/abi/error_object.h"
#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/core/thread_team.h"
#include "framework/plugin/layout_table.h"
#include "framework/plugin/stated_text.h"

struct loci_host {
  std::string id;
  std::string prefix;  // of its configuration: "CPU_"
  std::string path;
  std::mutex mutex;
  std::set<std::string> kept;  // strings handed out, which live as long as this does

  loci_str keep(std::string text) {
    const std::lock_guard lock(mutex);
    return loci::core::to_abi(*kept.insert(std::move(text)).first);
  }
};

namespace loci::plugin {
namespace {

using core::Level;
using core::Module;

std::string config_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    } else if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) {
      c = '_';
    }
  }
  return name;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Level level_of(std::int32_t level) {
  return static_cast<Level>(
      std::clamp(level, std::int32_t{LOCI_LOG_TRACE}, std::int32_t{LOCI_LOG_ERROR}));
}

// The functions of the table. None lets an exception pass: what calls them may be C.

std::int32_t log_enabled(loci_host* /*host*/, std::int32_t level) noexcept {
  return core::log_enabled(Module::kPlugin, level_of(level)) ? 1 : 0;
}

void log(loci_host* host, std::int32_t level, loci_str message, const char* file,
         std::int32_t line) noexcept {
  if (log_enabled(host, level) == 0) return;
  try {
    core::write_log(Module::kPlugin, level_of(level),
                    fmt::format("[{}] {}", host->id, stated_message(message)),
                    file == nullptr ? "?" : file, line);
  } catch (...) {  // a line of a log is not worth a crash
  }
}

loci_error* error_make(loci_host* /*host*/, loci_code code, loci_str message,
                       loci_error* cause) noexcept {
  return core::new_error(code, stated_message(message), cause);
}

loci_code error_code(const loci_error* error) noexcept { return error->code; }

loci_str error_message(const loci_error* error) noexcept { return core::to_abi(error->message); }

const loci_error* error_cause(const loci_error* error) noexcept { return error->cause; }

void* memory_alloc(loci_host* /*host*/, std::uint64_t bytes, std::uint64_t alignment) noexcept {
  alignment = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
  if (!std::has_single_bit(alignment)) return nullptr;
  if (bytes > std::numeric_limits<std::uint64_t>::max() - alignment) return nullptr;
  // aligned_alloc takes whole multiples of the alignment.
  const std::uint64_t rounded =
      (std::max<std::uint64_t>(bytes, 1) + alignment - 1) & ~(alignment - 1);
  return std::aligned_alloc(alignment, rounded);
}

void memory_free(loci_host* /*host*/, void* pointer) noexcept { std::free(pointer); }

void parallel_for(loci_host* /*host*/, std::int64_t begin, std::int64_t end, std::int64_t grain,
                  loci_range_fn body, void* context) noexcept {
  core::parallel_for(begin, end, grain, body, context);
}

std::uint32_t parallel_width(loci_host* /*host*/) noexcept { return core::parallel_width(); }

std::uint64_t now_ns(loci_host* /*host*/) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

loci_str config_get(loci_host* host, loci_str key) noexcept {
  try {
    std::string name = host->prefix + config_name(stated_text(key, "key"));
    if (key.size == 0) name.pop_back();  // the plugin's own variable: LOCI_CPU
    const auto value = core::config_value(name);
    return value ? host->keep(*value) : loci_str{nullptr, 0};
  } catch (...) {
    return {nullptr, 0};
  }
}

std::uint32_t layout_intern(loci_host* host, loci_str text, std::uint64_t bytes) noexcept {
  return intern_layout(host->id, stated_message(text), bytes);
}

// This minor has no further tables.
const void* get_interface(loci_host* /*host*/, loci_str /*name*/, std::uint32_t /*max*/) noexcept {
  return nullptr;
}

// LOCI_<this> begins the names of the plugin's variables.
std::string prefix_of(const std::string& plugin_id) {
  return config_name(plugin_id.substr(plugin_id.rfind('.') + 1)) + "_";
}

loci_str library_path(loci_host* host) noexcept { return core::to_abi(host->path); }

loci_host_api make_api(loci_host* host) {
  return {.struct_size = sizeof(loci_host_api),
          .minor = LOCI_ABI_MINOR,
          .host = host,
          .log_enabled = log_enabled,
          .log = log,
          .error_make = error_make,
          .error_code = error_code,
          .error_message = error_message,
          .error_cause = error_cause,
          .error_release = core::free_error,
          .memory_alloc = memory_alloc,
          .memory_free = memory_free,
          .parallel_for = parallel_for,
          .parallel_width = parallel_width,
          .now_ns = now_ns,
          .config_get = config_get,
          .layout_intern = layout_intern,
          .get_interface = get_interface,
          .library_path = library_path};
}

}  // namespace

std::string own_variable(const std::string& plugin_id) {
  const std::string prefix = prefix_of(plugin_id);
  return "LOCI_" + prefix.substr(0, prefix.size() - 1);
}

std::string setting_key(const std::string& key) { return config_name(key); }

std::vector<std::pair<std::string, std::string>> settings_of(const std::string& plugin_id) {
  const std::string prefix = prefix_of(plugin_id);
  auto settings = core::config_values(prefix);
  const auto own = core::config_value(prefix.substr(0, prefix.size() - 1));
  if (own) settings.emplace(settings.begin(), "", *own);
  return settings;
}

HostTable::HostTable(const std::string& plugin_id, const std::string& library_path)
    : host_(std::make_unique<loci_host>()), api_{} {
  host_->id = plugin_id;
  host_->path = library_path;
  host_->prefix = prefix_of(plugin_id);
  api_ = make_api(host_.get());
}

HostTable::~HostTable() = default;

std::vector<loci_kv> HostTable::options() const {
  std::vector<loci_kv> entries;
  for (const auto& entry : core::config_values(host_->prefix)) {
    entries.push_back({host_->keep(lower(entry.first)), host_->keep(entry.second)});
  }
  return entries;
}

}  // namespace loci::plugin
