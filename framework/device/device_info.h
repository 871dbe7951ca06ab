// The facts that a backend gives about a device.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <string>

#include "framework/device/backend.h"

namespace loci::device {

struct DeviceInfo {
  std::string name;
  std::string arch;
  std::string uuid;
  std::string driver;
  std::uint32_t flags = 0;
  std::uint64_t total_memory = 0;
  std::uint64_t alignment = 64;
  std::uint64_t min_chunk = 1;
  std::uint32_t compute_units = 0;
  std::int32_t least_priority = 0;  // of streams; the lower number is the greater priority
  std::int32_t greatest_priority = 0;
  double peak_flops = 0;              // per second, float32; 0: it does not say
  double peak_bytes = 0;              // per second, of its memory
  std::uint64_t max_allocations = 0;  // of its memory, at a time; 0: any number
};

// Asks, and checks what it says. Throws Error with the place: kIncompatible, with the plugin, for
// what no device can have, and what the backend answers with instead.
[[nodiscard]] DeviceInfo read_device_info(const DeviceBackend& backend, const Place& place);

}  // namespace loci::device
