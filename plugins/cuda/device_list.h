// The CUDA devices of this machine, as described without opening one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carried_code.h"
#include "driver.h"

namespace loci::cuda {

struct DeviceEntry {
  CUdevice handle = 0;
  std::uint32_t ordinal = 0;  // by which the driver counts
  std::string name;
  std::string arch;            // "sm_90"
  std::string uuid;            // "GPU-...", as nvidia-smi prints it
  int compute_capability = 0;  // 90 for sm_90
  std::uint64_t memory = 0;    // bytes
  std::uint32_t multiprocessors = 0;
  std::int32_t greatest_priority = 0;
  std::uint64_t max_pitch = 0;  // bytes, of copies of rows
  double peak_flops = 0;        // 0: not known
  double peak_bytes = 0;
};

// Returns true if the device is one of the driver's double, which says so in its name.
[[nodiscard]] bool is_emulated(const DeviceEntry& entry);

struct DeviceList {
  std::vector<DeviceEntry> devices;
  std::string reason;  // why there is none
  // A line for each device that is left out, because no kernel runs on it: "device 0 (NAME) has
  // ...". Numbers are the driver's.
  std::vector<std::string> left_out;
};

// In the order of the driver, which CUDA_VISIBLE_DEVICES changes. Throws Error.
DeviceList find_devices(const Driver& driver, const CarriedCode& code);

}  // namespace loci::cuda
