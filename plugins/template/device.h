// The sample device. Inline: a launch returns when the work is done. It works in host memory, which
// Loci allocates. loci/plugin/device.hpp says which functions other kinds of devices need.
#pragma once

#include <cstdint>
#include <loci/plugin/device.hpp>

namespace sample_plugin {

class SamplePlugin;

class SampleDevice {
 public:
  // A score above 0 if this machine has such a device, else 0 and the reason.
  static loci::sdk::Probe probe(SamplePlugin&) { return {1}; }
  static std::uint32_t count(SamplePlugin&) { return 1; }
  static void describe(SamplePlugin&, std::uint32_t index, loci_device_info& info) {
    require_first(index);
    info.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
    info.name = loci::sdk::to_abi("sample");
    info.alignment = 64;
    info.min_chunk = 64;
    info.compute_units = 1;
  }
  // Opens the device.
  SampleDevice(SamplePlugin&, const loci::sdk::Host&, std::uint32_t index) { require_first(index); }

 private:
  static void require_first(std::uint32_t index) {
    if (index == 0) return;
    throw loci::sdk::Error(LOCI_CODE_NOT_FOUND, "[sample] there is one device; use sample:0");
  }
};

}  // namespace sample_plugin
