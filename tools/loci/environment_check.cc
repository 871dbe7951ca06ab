#include "tools/loci/environment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>

#include "tools/loci/probe_options.h"

namespace loci::runner {
namespace {

// What a value has to be; nothing is said of one that may be anything.
using Check = void (*)(CheckedVariable* variable);

template <class Integer>
bool is_integer(const std::string& text, Integer low, Integer high) {
  Integer value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last && value >= low && value <= high;
}

template <class Integer>
void require_integer(CheckedVariable* variable, Integer low, Integer high) {
  if (is_integer(variable->value, low, high)) return;
  variable->problem = fmt::format("'{}' is no integer in [{}, {}]", variable->value, low, high);
  variable->remedy = fmt::format("correct or unset {}", variable->name);
}

void check_seed(CheckedVariable* variable) {
  require_integer<std::uint64_t>(variable, 0, std::numeric_limits<std::uint64_t>::max());
}

void check_threads(CheckedVariable* variable) { require_integer(variable, 1, 4096); }

void check_memory_limit(CheckedVariable* variable) {
  require_integer<std::int64_t>(variable, 0, std::numeric_limits<std::int64_t>::max());
}

void check_probe(CheckedVariable* variable) {
  if (variable->value.empty() || variable->value == "0" || variable->value == "1") return;
  variable->problem = fmt::format("'{}' is neither 0 nor 1", variable->value);
  variable->remedy = fmt::format("correct or unset {}", variable->name);
}

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

// Another check says what is wrong: the log's levels are set before any subcommand, and the places
// of the search are reported one by one.
void leave(CheckedVariable* /*variable*/) {}

const std::map<std::string, Check>& own_variables() {
  static const std::map<std::string, Check> all{
      {"LOCI_LOG", leave},         {"LOCI_MEMORY_LIMIT", check_memory_limit},
      {"LOCI_PLUGIN_PATH", leave}, {kProbeVariable, check_probe},
      {"LOCI_SEED", check_seed},   {"LOCI_THREADS", check_threads},
  };
  return all;
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
  for (const auto& entry : own_variables()) known += (known.empty() ? "" : ", ") + entry.first;
  variable->note =
      fmt::format("neither Loci nor a plugin that was found reads it; Loci reads {}", known);
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
    const auto own = own_variables().find(variable.name);
    const auto other = other_variables().find(variable.name);
    if (own != own_variables().end()) {
      own->second(&variable);
    } else if (other != other_variables().end()) {
      other->second(&variable);
    } else if (variable.name.rfind("LOCI_", 0) == 0) {
      check_unknown(&variable, plugin_ids);
    } else {
      continue;
    }
    variables.push_back(variable);
  }
  std::sort(variables.begin(), variables.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return variables;
}

}  // namespace loci::runner
