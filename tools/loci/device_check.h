// Every device opened once, to see whether it works.
#pragma once

#include <loci/devices.hpp>
#include <string>
#include <vector>

namespace loci::runner {

struct CheckedDevice {
  std::string place;            // of a type whose devices cannot be counted: the type
  DeviceProperties properties;  // unless there is an error
  std::string error;            // why it cannot be used; empty if it can
};

// Of all types that plugins declare, by type and index; activates the plugins. Throws Error only if
// the plugins cannot be listed.
std::vector<CheckedDevice> check_devices();

}  // namespace loci::runner
