#include "planned_faults.h"

#include <charconv>
#include <loci/plugin/error.hpp>
#include <utility>

namespace loci::cuda {
namespace {

std::int64_t read_count(const sdk::Host& host, const sdk::Options& options, const char* name) {
  const std::string text = setting_of(host, options, name);
  if (text.empty()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda] the setting " + std::string(name) + " is '" +
                                                   text + "'; it takes a count, 0 for never");
}

}  // namespace

std::string setting_of(const sdk::Host& host, const sdk::Options& options, const char* name) {
  const auto found = options.find(name);
  return found == options.end() ? std::string(host.config(name)) : found->second;
}

FaultSettings read_fault_settings(const sdk::Host& host, const sdk::Options& options) {
  return {read_count(host, options, "fail_alloc"), read_count(host, options, "fail_copy"),
          read_count(host, options, "fail_launch"), read_count(host, options, "fail_event")};
}

PlannedFaults::PlannedFaults(const FaultSettings& settings, std::string place)
    : place_(std::move(place)),
      alloc_(settings.alloc),
      copy_(settings.copy),
      launch_(settings.launch),
      event_(settings.event) {}

void PlannedFaults::count(Countdown& left, loci_code code, const char* call) const {
  if (left.fetch_sub(1) != 1) return;
  throw sdk::Error(
      code, "[cuda] " + place_ + ": " + call + " fails, as the settings of the device ask for");
}

}  // namespace loci::cuda
