#include "plugins/sim/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <loci/plugin/error.hpp>
#include <set>
#include <string>

namespace loci::sim {
namespace {

using Text = std::string_view;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

template <class Number>
bool read_number(Text text, Number* number) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, *number);
  return error == std::errc() && end == last;
}

bool read_integer(Text text, std::uint64_t low, std::uint64_t high, std::uint64_t* integer) {
  return read_number(text, integer) && *integer >= low && *integer <= high;
}

// "65536", "64K", "2G".
bool read_bytes(Text text, std::uint64_t low, std::uint64_t high, std::uint64_t* bytes) {
  constexpr Text kSuffixes = "KMGT";
  const std::size_t suffix = text.empty() ? Text::npos : kSuffixes.find(text.back());
  std::uint64_t unit = 1;
  if (suffix != Text::npos) {
    unit = kKiB << (10 * suffix);
    text.remove_suffix(1);
  }
  std::uint64_t count = 0;
  if (!read_number(text, &count) || count > high / unit) return false;
  *bytes = count * unit;
  return *bytes >= low;
}

constexpr Text kBytesAllowed = "bytes from 64K to 1T, with K, M, G or T behind the number or none";
constexpr Text kSwitchAllowed = "0 or 1";
constexpr Text kRealAllowed = "a number from 0 to 1e9";
constexpr Text kCountAllowed = "an integer of 0 or more; 0 is never";

template <bool Settings::*member>
bool set_switch(Settings& settings, Text text) {
  settings.*member = text == "1";
  return text == "0" || text == "1";
}

template <double Settings::*member>
bool set_real(Settings& settings, Text text) {
  double value = 0;
  if (!read_number(text, &value) || !(value >= 0) || value > 1e9) return false;
  settings.*member = value;
  return true;
}

template <std::int64_t Settings::*member>
bool set_count(Settings& settings, Text text) {
  std::uint64_t value = 0;
  if (!read_integer(text, 0, kMost, &value)) return false;
  settings.*member = static_cast<std::int64_t>(value);
  return true;
}

bool set_devices(Settings& settings, Text text) {
  std::uint64_t value = 0;
  if (!read_integer(text, 1, 64, &value)) return false;
  settings.devices = static_cast<std::uint32_t>(value);
  return true;
}

bool set_memory(Settings& settings, Text text) {
  return read_bytes(text, 64 * kKiB, kKiB << 30, &settings.memory);
}

bool set_red_zone(Settings& settings, Text text) {
  return read_integer(text, 0, 64 * kKiB, &settings.red_zone) && settings.red_zone % 256 == 0;
}

bool set_seed(Settings& settings, Text text) {
  return read_integer(text, 0, std::numeric_limits<std::uint64_t>::max(), &settings.seed);
}

// The list of kernels says whether there are such ops.
bool set_without(Settings& settings, Text text) {
  settings.without = text;
  return true;
}

struct Key {
  Text name;
  Text allowed;
  bool (*set)(Settings&, Text);
};

constexpr std::array<Key, 22> kKeys = {{
    {"devices", "an integer from 1 to 64", set_devices},
    {"memory", kBytesAllowed, set_memory},
    {"red_zone", "a multiple of 256 from 0 to 65536", set_red_zone},
    {"poison", kSwitchAllowed, set_switch<&Settings::poison>},
    {"race", kSwitchAllowed, set_switch<&Settings::race>},
    {"graphs", kSwitchAllowed, set_switch<&Settings::graphs>},
    {"seed", "an integer from 0 to 2^64 - 1", set_seed},
    {"delay_us", kRealAllowed, set_real<&Settings::delay_us>},
    {"copy_latency_us", kRealAllowed, set_real<&Settings::copy_latency_us>},
    {"h2d_gbps", kRealAllowed, set_real<&Settings::h2d_gbps>},
    {"d2h_gbps", kRealAllowed, set_real<&Settings::d2h_gbps>},
    {"peer_gbps", kRealAllowed, set_real<&Settings::peer_gbps>},
    {"local_gbps", kRealAllowed, set_real<&Settings::local_gbps>},
    {"launch_us", kRealAllowed, set_real<&Settings::launch_us>},
    {"gflops", kRealAllowed, set_real<&Settings::gflops>},
    {"fail_alloc", kCountAllowed, set_count<&Settings::fail_alloc>},
    {"fail_copy", kCountAllowed, set_count<&Settings::fail_copy>},
    {"fail_launch", kCountAllowed, set_count<&Settings::fail_launch>},
    {"fail_event", kCountAllowed, set_count<&Settings::fail_event>},
    {"fail_task", kCountAllowed, set_count<&Settings::fail_task>},
    {"lose_device", kCountAllowed, set_count<&Settings::lose_device>},
    {"without", "names of ops with + between them", set_without},
}};

[[noreturn]] void refuse_setting(const std::string& message) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

std::string key_names() {
  std::string names;
  for (const Key& key : kKeys) names += fmt::format("{}{}", names.empty() ? "" : ", ", key.name);
  return names;
}

void set(Settings& settings, Text name, Text value) {
  const auto* key = std::find_if(kKeys.begin(), kKeys.end(),
                                 [&](const Key& candidate) { return candidate.name == name; });
  if (key == kKeys.end()) {
    refuse_setting(
        fmt::format("[sim] LOCI_SIM: there is no setting '{}' (given '{}'); there are {}", name,
                    value, key_names()));
  }
  if (!key->set(settings, value)) {
    refuse_setting(fmt::format("[sim] LOCI_SIM: {} is '{}'; give {}", name, value, key->allowed));
  }
}

void parse_list(Settings& settings, Text list) {
  std::set<Text> seen;
  while (!list.empty()) {
    const Text entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const std::size_t equals = entry.find('=');
    if (equals == Text::npos) {
      refuse_setting(
          fmt::format("[sim] LOCI_SIM: '{}' has no value; write key=value,key=value", entry));
    }
    const Text name = entry.substr(0, equals);
    if (!seen.insert(name).second) {
      refuse_setting(
          fmt::format("[sim] LOCI_SIM: {} is given twice, the second time as '{}'; give it once",
                      name, entry.substr(equals + 1)));
    }
    set(settings, name, entry.substr(equals + 1));
  }
}

}  // namespace

Settings parse_settings(std::string_view list, const sdk::Options& options) {
  constexpr Text kOtherPlugin = "graph_";
  Settings settings;
  parse_list(settings, list);
  for (const auto& [name, value] : options) {
    if (Text(name).substr(0, kOtherPlugin.size()) != kOtherPlugin) set(settings, name, value);
  }
  return settings;
}

}  // namespace loci::sim
