#include "tools/loci/doctor/environment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <loci/settings.hpp>
#include <map>
#include <string_view>

namespace loci::runner {
namespace {

// A check says what a value has to be; nothing is said of one that may be anything.
using Check = void (*)(CheckedVariable* variable);

void check_library_path(CheckedVariable* variable) {
  std::string_view rest = variable->value;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string entry(rest.substr(0, colon));
    std::error_code error;
    if (entry.empty() || entry.front() != '/') {
      variable->note = fmt::format(
          "'{}' makes the dynamic linker search the working directory for libraries", entry);
      return;
    }
    if (!std::filesystem::is_directory(entry, error)) {
      variable->note = fmt::format("there is no directory '{}'", entry);
    }
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
}

void check_cache_home(CheckedVariable* variable) {
  if (variable->value.empty() || variable->value.front() == '/') return;
  variable->note = "it is not absolute, so that ~/.cache is used";
}

void check_visible_devices(CheckedVariable* variable) {
  if (variable->value.empty() || variable->value == "-1") variable->note = "it hides all devices";
}

void leave(CheckedVariable* /*variable*/) {}

// Checks a variable of Loci's own, which says itself what is wrong.
bool check_own(CheckedVariable* variable) {
  const auto known = config::environment_variables();
  const bool is_own = std::any_of(known.begin(), known.end(),
                                  [&](const auto& own) { return own.name == variable->name; });
  const std::string problem = config::problem_of(variable->name, variable->value);
  if (!problem.empty()) {
    variable->problem = "it " + problem;
    variable->remedy = fmt::format("correct or unset {}", variable->name);
  }
  return is_own;
}

const std::map<std::string, Check>& other_variables() {
  static const std::map<std::string, Check> all{
      {"CUDA_VISIBLE_DEVICES", check_visible_devices},
      {"HIP_VISIBLE_DEVICES", check_visible_devices},
      {"LD_LIBRARY_PATH", check_library_path},
      {"LD_PRELOAD", leave},
      {"OCL_ICD_VENDORS", leave},
      {"OMP_NUM_THREADS", leave},
      {"XDG_CACHE_HOME", check_cache_home},
  };
  return all;
}

// "LOCI_CPU" of org.loci.cpu, as the host makes it for the plugin.
std::string variable_of(const std::string& plugin_id) {
  std::string name = "LOCI_" + plugin_id.substr(plugin_id.rfind('.') + 1);
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) c = '_';
  }
  return name;
}

std::string owner_of(const std::string& name, const std::vector<std::string>& plugin_ids) {
  for (const std::string& id : plugin_ids) {
    const std::string own = variable_of(id);
    if (name == own || name.rfind(own + "_", 0) == 0) return id;
  }
  return {};
}

void check_unknown(CheckedVariable* variable, const std::vector<std::string>& plugin_ids) {
  const std::string owner = owner_of(variable->name, plugin_ids);
  if (!owner.empty()) {
    variable->note = fmt::format("it is for the plugin {}", owner);
    return;
  }
  std::string known;
  for (const auto& own : config::environment_variables()) {
    known += (known.empty() ? "" : ", ") + own.name;
  }
  variable->note =
      fmt::format("neither Loci nor a plugin that was found reads it; Loci reads {}", known);
}

// False for a variable that does not matter.
bool judge(CheckedVariable* variable, const std::vector<std::string>& plugin_ids) {
  const auto other = other_variables().find(variable->name);
  if (other != other_variables().end()) {
    other->second(variable);
    return true;
  }
  if (check_own(variable)) return true;
  if (variable->name.rfind("LOCI_", 0) != 0) return false;
  check_unknown(variable, plugin_ids);
  return true;
}

}  // namespace

std::vector<CheckedVariable> check_environment(const char* const* environment,
                                               const std::vector<std::string>& plugin_ids) {
  std::vector<CheckedVariable> variables;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    CheckedVariable variable;
    variable.name = text.substr(0, equals);
    variable.value = text.substr(equals + 1);
    if (judge(&variable, plugin_ids)) variables.push_back(variable);
  }
  std::sort(variables.begin(), variables.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return variables;
}

void ignore_wrong_variables(const char* const* environment) {
  for (const CheckedVariable& variable : check_environment(environment, {})) {
    constexpr std::string_view kPrefix = "LOCI_";
    if (config::problem_of(variable.name, variable.value).empty()) continue;
    config::set(variable.name.substr(kPrefix.size()), "");
  }
}

}  // namespace loci::runner
