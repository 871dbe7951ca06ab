#include "tools/loci/device_check.h"

#include <loci/error.hpp>
#include <loci/plugins.hpp>
#include <set>

namespace loci::runner {
namespace {

std::set<std::string> device_types() {
  std::set<std::string> types;
  for (const plugins::Candidate& candidate : plugins::report(/*activate=*/true)) {
    if (candidate.failed || candidate.disabled) continue;
    types.insert(candidate.device_types.begin(), candidate.device_types.end());
  }
  return types;
}

void add_device(const Place& place, std::vector<CheckedDevice>* devices) {
  CheckedDevice& device = devices->emplace_back();
  device.place = place.to_string();
  try {
    device.properties = device_properties(place);
  } catch (const Error& error) {
    device.error = error.what();
  }
}

void add_type(const std::string& type, std::vector<CheckedDevice>* devices) {
  int count = 0;
  try {
    count = device_count(type);
  } catch (const Error& error) {
    CheckedDevice& device = devices->emplace_back();
    device.place = type;
    device.error = error.what();
  }
  for (int index = 0; index < count; ++index) add_device(Place(type, index), devices);
}

}  // namespace

std::vector<CheckedDevice> check_devices() {
  std::vector<CheckedDevice> devices;
  for (const std::string& type : device_types()) add_type(type, &devices);
  return devices;
}

}  // namespace loci::runner
