// Every device opened once, to see whether it works.
#pragma once

#include <functional>
#include <loci/devices.hpp>
#include <loci/inspect.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loci::runner {

struct CheckedDevice {
  std::string place;            // of a type whose devices cannot be counted: the type
  DeviceProperties properties;  // unless there is an error, and so is the next one
  inspect::Capturer capturer;
  std::string error;  // why it cannot be used; empty if it can
};

// Checks all types that plugins declare, by type and index; activates the plugins of one type after
// the other, and tells of each device as soon as it was opened. In this very process, which a
// plugin may end: see device_survey.h. Throws Error only if the plugins cannot be listed.
void check_devices(const std::function<void(const CheckedDevice&)>& found);

std::vector<std::string> capabilities(const DeviceProperties& device);
// "by org.loci.sim_graph", or why graphs are launched op by op; empty of a device without queues,
// which has none in any case, and if there is an error.
std::string graphs_text(const CheckedDevice& device);

// Makes the object of `loci devices --json`, and reads it; what it does not have is not known.
nlohmann::ordered_json device_json(const CheckedDevice& device);
CheckedDevice device_of(const nlohmann::json& object);

}  // namespace loci::runner
