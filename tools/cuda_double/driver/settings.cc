#include "tools/cuda_double/driver/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace loci::cuda_double {
namespace {

[[noreturn]] void refuse(std::string_view item, std::string_view why) {
  throw SettingsError(fmt::format("LOCI_CUDA_DOUBLE: '{}': {}", item, why));
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(mark);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::uint64_t number(std::string_view item, std::string_view text, std::uint64_t least,
                     std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    refuse(item, "needs a whole number");
  }
  if (value < least || value > most) refuse(item, fmt::format("has to be {} to {}", least, most));
  return value;
}

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

// Returns the shift for the letter at the end of a number of bytes; 0: there is none.
int unit_shift(std::string_view text) {
  if (text.empty()) return 0;
  switch (text.back()) {
    case 'K': return 10;
    case 'M': return 20;
    case 'G': return 30;
    default: return 0;
  }
}

std::uint64_t bytes(std::string_view item, std::string_view text) {
  const int shift = unit_shift(text);
  if (shift != 0) text.remove_suffix(1);
  return number(item, text, 1, kMostBytes >> shift) << shift;
}

std::uint64_t memory(std::string_view item, std::string_view text) {
  const std::uint64_t value = bytes(item, text);
  if (value < (std::uint64_t{1} << 20)) refuse(item, "has to be 1M at least");
  return value;
}

unsigned percent(std::string_view item, std::string_view text) {
  if (!text.ends_with('%')) refuse(item, "needs a whole number of percent, as 1%");
  text.remove_suffix(1);
  return static_cast<unsigned>(number(item, text, 0, 100));
}

EnabledChecks checks(std::string_view item, std::string_view text) {
  if (text == "all") return {true, true, true, true, true, true, true, true};
  EnabledChecks chosen{false, false, false, false, false, false, false, false};
  if (text == "none") return chosen;
  const std::map<std::string_view, bool*> known = {
      {"addresses", &chosen.addresses},       {"undefined", &chosen.undefined},
      {"shared_races", &chosen.shared_races}, {"block_races", &chosen.block_races},
      {"stream_races", &chosen.stream_races}, {"pageable", &chosen.pageable},
      {"handles", &chosen.handles},           {"leaks", &chosen.leaks}};
  for (const auto name : split(text, '+')) {
    const auto found = known.find(name);
    if (found == known.end()) refuse(item, fmt::format("'{}' is no check", name));
    *found->second = true;
  }
  return chosen;
}

bool one_of_two(std::string_view item, std::string_view text, std::string_view no,
                std::string_view yes) {
  if (text != no && text != yes) refuse(item, fmt::format("has to be {} or {}", no, yes));
  return text == yes;
}

PlannedFailure failure(std::string_view item, std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3 || !parts[0].starts_with("cu")) refuse(item, "has to be NAME:N:CODE");
  return {std::string(parts[0]), number(item, parts[1], 1, ~std::uint64_t{0}),
          static_cast<int>(number(item, parts[2], 1, 999))};
}

// Limits the bytes of any number of allocations, or the number of allocations of any size.
void set_quarantine(Settings& settings, std::string_view item, std::string_view text) {
  constexpr std::uint64_t kMostAllocations = 1'000'000;
  if (unit_shift(text) != 0) {
    settings.quarantine_bytes = bytes(item, text);
    settings.quarantine_allocations = kMostAllocations;
  } else {
    settings.quarantine_allocations = number(item, text, 0, kMostAllocations);
    settings.quarantine_bytes = kMostBytes;
  }
}

void set_version(Settings& settings, std::string_view item, std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 2) refuse(item, "has to be MAJOR.MINOR");
  settings.version =
      static_cast<int>(1000 * number(item, parts[0], 11, 13) + 10 * number(item, parts[1], 0, 9));
}

void set_capability(Settings& settings, std::string_view item, std::string_view text) {
  settings.capabilities.clear();
  for (const auto each : split(text, '+')) {
    const auto parts = split(each, '.');
    if (parts.size() != 2) refuse(item, "has to be MAJOR.MINOR");
    settings.capabilities.push_back({static_cast<int>(number(item, parts[0], 5, 20)),
                                     static_cast<int>(number(item, parts[1], 0, 9))});
  }
}

using Setter = std::function<void(Settings&, std::string_view item, std::string_view value)>;

const std::map<std::string_view, Setter>& setters() {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  static const std::map<std::string_view, Setter> known = {
      {"memory", [](auto& s, auto item, auto value) { s.memory = memory(item, value); }},
      {"devices",
       [](auto& s, auto item, auto value) { s.devices = int(number(item, value, 1, 16)); }},
      {"peers", [](auto& s, auto item,
                   auto value) { s.have_peers = one_of_two(item, value, "none", "all"); }},
      {"capability", set_capability},
      {"version", set_version},
      {"seed", [](auto& s, auto item, auto value) { s.seed = number(item, value, 0, kAny); }},
      {"latency_us",
       [](auto& s, auto item, auto value) { s.latency_us = number(item, value, 0, 1'000'000); }},
      {"workers",
       [](auto& s, auto item, auto value) { s.workers = unsigned(number(item, value, 1, 256)); }},
      {"instructions",
       [](auto& s, auto item, auto value) { s.instructions = number(item, value, 1, kAny); }},
      {"quarantine", set_quarantine},
      {"checks", [](auto& s, auto item, auto value) { s.checks = checks(item, value); }},
      {"findings",
       [](auto& s, auto item, auto value) {
         s.abort_on_finding = one_of_two(item, value, "report", "abort");
       }},
      {"log", [](auto& s, auto item,
                 auto value) { s.log_errors = one_of_two(item, value, "none", "errors"); }},
      {"fail", [](auto& s, auto item, auto value) { s.failures.push_back(failure(item, value)); }},
      {"fail_alloc",
       [](auto& s, auto item, auto value) { s.fail_alloc = number(item, value, 1, kAny); }},
      {"counters",
       [](auto& s, auto item, auto value) {
         if (value.empty()) refuse(item, "has to name a file");
         s.counters = value;
       }},
      {"cupti_drop", [](auto& s, auto item, auto value) { s.cupti_drop = percent(item, value); }}};
  return known;
}

}  // namespace

Settings parse_settings(std::string_view text) {
  Settings settings;
  settings.workers = std::max(1U, std::thread::hardware_concurrency());
  if (text.empty()) return settings;
  std::set<std::string_view> seen;
  for (const auto item : split(text, ',')) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) refuse(item, "has to be NAME=VALUE");
    const auto name = item.substr(0, equals);
    const auto setter = setters().find(name);
    if (setter == setters().end()) refuse(item, fmt::format("there is no setting '{}'", name));
    if (!seen.insert(name).second && name != "fail") refuse(item, "is set twice");
    setter->second(settings, item, item.substr(equals + 1));
  }
  return settings;
}

}  // namespace loci::cuda_double
