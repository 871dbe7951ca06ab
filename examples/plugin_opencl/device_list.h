// The OpenCL devices of this machine.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace opencl {

// Work items of a group, in all kernels.
inline constexpr std::size_t kGroup = 64;

struct DeviceEntry {
  cl_device_id id;
  std::string name;
  std::string version;  // "OpenCL 3.0 PoCL ..."
  std::string driver;
  std::uint64_t memory;     // bytes
  std::uint64_t largest;    // bytes of one allocation
  std::uint64_t alignment;  // bytes
  std::uint32_t units;
  bool divides_exactly;  // can round float divisions correctly
};

struct DeviceList {
  std::vector<DeviceEntry> devices;
  std::string reason;  // why there is none
};

// Finds the devices of all platforms, in the order of the OpenCL loader: available, with a
// compiler, and with groups of kGroup items.
DeviceList find_devices();

}  // namespace opencl
