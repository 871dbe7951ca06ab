#include "tools/cuda_double/driver/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/cuda_double/driver/context.h"
#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/pool.h"

namespace loci::cuda_double {
namespace {

const std::map<CUdevice_attribute, int>& common_attributes() {
  // Kept for threads that outlive the program's end.
  static const auto& attributes = *new std::map<CUdevice_attribute, int>{
#include "tools/cuda_double/driver/device_attributes.inc"
  };
  return attributes;
}

// The last that is named is that of all behind it.
Capability capability_of(const Settings& settings, int number) {
  const std::size_t last = settings.capabilities.size() - 1;
  return settings.capabilities[std::min(static_cast<std::size_t>(number), last)];
}

}  // namespace

Device::Device(int ordinal, int number, const Settings& settings)
    : ordinal_(ordinal),
      number_(number),
      total_(settings.memory),
      capability_(capability_of(settings, number)) {}

Device::~Device() = default;

std::string Device::name() const { return fmt::format("Loci CUDA double {} (emulated)", number_); }

std::string Device::bus_id() const { return fmt::format("0000:{:02X}:00.0", number_ + 1); }

int Device::attribute(CUdevice_attribute which) const {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return capability_.major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return capability_.minor;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return number_ + 1;
    default: break;
  }
  const auto found = common_attributes().find(which);
  require(found != common_attributes().end(), "there is no such attribute");
  return found->second;
}

void Device::take(std::uint64_t bytes) {
  if (bytes > free()) {
    throw DriverError(CUDA_ERROR_OUT_OF_MEMORY,
                      fmt::format("{} bytes asked for, {} of {} free", bytes, free(), total_));
  }
  used_ += bytes;
}

}  // namespace loci::cuda_double
