#include "framework/plugin/unknown_settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <set>
#include <string_view>

#include "framework/core/config.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/suggest.h"
#include "framework/plugin/host_table.h"

namespace loci::plugin {
namespace {

// See device.h of loci/abi: a plugin takes those that it likes.
constexpr std::array<std::string_view, 6> kFaults{"FAIL_ALLOC", "FAIL_COPY", "FAIL_LAUNCH",
                                                  "FAIL_EVENT", "FAIL_TASK", "LOSE_DEVICE"};

bool is_of_core(const std::string& variable) {
  const auto& known = core::environment_variables();
  return std::any_of(known.begin(), known.end(), [&variable](const core::EnvironmentVariable& one) {
    return variable == std::string("LOCI_") + one.name;
  });
}

bool is_of(const std::string& plugin_id, const std::string& variable) {
  const std::string own = own_variable(plugin_id);
  return variable == own || variable.rfind(own + "_", 0) == 0;
}

bool is_known(const Manifest& manifest, const std::string& key) {
  const std::vector<std::string>& names = manifest.settings;
  return std::any_of(names.begin(), names.end(),
                     [&key](const std::string& name) { return setting_key(name) == key; });
}

std::string complaint(const Manifest& manifest, const std::string& variable,
                      const std::string& key) {
  std::string name = key;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string hint = name.empty() ? "" : core::suggest(name, manifest.settings);
  if (hint.empty()) hint = fmt::format("; there are {}", fmt::join(manifest.settings, ", "));
  return fmt::format("{} is set, and {} has no such setting{}", variable, manifest.id, hint);
}

// "THREADS" of "THREADS_MAX".
std::string_view first_word(std::string_view name) { return name.substr(0, name.find('_')); }

// "; did you mean 'THREADS'?", or empty. Without LOCI_, by which everything would be near.
std::string core_hint(const std::string& name) {
  std::vector<std::string> known;
  std::vector<std::string> alike;
  for (const core::EnvironmentVariable& each : core::environment_variables()) {
    known.emplace_back(each.name);
    if (first_word(each.name) == first_word(name)) alike.push_back(fmt::format("'{}'", each.name));
  }
  const std::string hint = core::suggest(name, known);
  if (!hint.empty() || alike.empty()) return hint;
  return fmt::format("; did you mean {}?", fmt::join(alike, " or "));
}

// With what variables of the environment begin with in front of each quoted name.
std::string with_prefix(std::string hint) {
  bool opens = true;
  for (std::size_t at = hint.find('\''); at != std::string::npos; at = hint.find('\'', at + 1)) {
    if (opens) hint.insert(at + 1, "LOCI_");
    opens = !opens;
  }
  return hint;
}

void warn_once(const std::vector<std::string>& lines) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>();  // contexts come and go
  for (const std::string& line : lines) {
    const std::lock_guard lock(mutex);
    if (told.insert(line).second) core::log(core::Module::kPlugin, core::Level::kWarn, "{}", line);
  }
}

}  // namespace

std::vector<std::string> unread_variables(const std::vector<std::string>& ids) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : core::config_values("")) {
    const std::string variable = "LOCI_" + name;
    const auto is_read = [&variable](const std::string& id) { return is_of(id, variable); };
    if (is_of_core(variable) || std::any_of(ids.begin(), ids.end(), is_read)) continue;
    const std::string hint = core_hint(name);
    if (hint.empty()) continue;
    lines.push_back(fmt::format("{} is set, and nothing reads it{}", variable, with_prefix(hint)));
  }
  return lines;
}

void warn_of_unread_variables(const std::vector<std::string>& ids) {
  warn_once(unread_variables(ids));
}

std::vector<std::string> unknown_settings(const Manifest& manifest,
                                          const std::vector<std::string>& other_ids) {
  std::vector<std::string> lines;
  if (manifest.settings.empty()) return lines;
  const std::string own = own_variable(manifest.id);
  for (const auto& [key, value] : settings_of(manifest.id)) {
    const std::string variable = key.empty() ? own : fmt::format("{}_{}", own, key);
    const auto is_others = [&](const std::string& id) {
      return own_variable(id).size() > own.size() && is_of(id, variable);
    };
    if (is_known(manifest, key) || is_of_core(variable) ||
        std::find(kFaults.begin(), kFaults.end(), key) != kFaults.end() ||
        std::any_of(other_ids.begin(), other_ids.end(), is_others)) {
      continue;
    }
    lines.push_back(complaint(manifest, variable, key));
  }
  return lines;
}

void warn_of_unknown_settings(const Manifest& manifest, const std::vector<std::string>& other_ids) {
  warn_once(unknown_settings(manifest, other_ids));
}

}  // namespace loci::plugin
