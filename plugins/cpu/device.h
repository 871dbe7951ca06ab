// The processor as a device: inline, in host memory, one of it.
#pragma once

#include <cstdint>
#include <loci/plugin/device.hpp>

namespace loci::cpu {

class CpuPlugin;

class CpuDevice {
 public:
  static sdk::Probe probe(CpuPlugin&) { return {1}; }
  static std::uint32_t count(CpuPlugin&) { return 1; }
  static void describe(CpuPlugin& plugin, std::uint32_t index, loci_device_info& info);

  CpuDevice(CpuPlugin& plugin, const sdk::Host& host, std::uint32_t index);
};

}  // namespace loci::cpu
