#include "plugins/report_data/rates.h"

#include <algorithm>
#include <loci/plugin/reporter.hpp>
#include <string_view>

namespace loci::report {
namespace {

bool is_queued(const loci_profile& profile, loci_str place) {
  const auto devices = sdk::devices_of(profile);
  return std::any_of(devices.begin(), devices.end(), [&](const loci_profile_device& device) {
    return device.is_queued != 0 && sdk::to_view(device.place) == sdk::to_view(place);
  });
}

}  // namespace

std::uint64_t busy_ns(const loci_profile& profile, const loci_profile_node& node) {
  if (node.device_union_ns != 0) return node.device_union_ns;
  return is_queued(profile, profile.labels[node.label].place) ? 0 : node.total_ns;
}

std::uint64_t busy_ns(const loci_profile& profile, const loci_profile_copy& copy) {
  if (copy.device_ns != 0) return copy.device_ns;
  const loci_profile_label& label = profile.labels[copy.label];
  const bool is_of_host = !is_queued(profile, label.source) && !is_queued(profile, label.target);
  return copy.waited == copy.calls || is_of_host ? copy.host_ns : 0;
}

}  // namespace loci::report
