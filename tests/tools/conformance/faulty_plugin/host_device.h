// A device that works at once, in the host's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/plugin/device.hpp>

#include "source.h"

namespace loci::faulty {

class FaultyPlugin;

class HostDevice {
 public:
  static sdk::Probe probe(FaultyPlugin&) { return {1}; }
  static std::uint32_t count(FaultyPlugin&) { return 1; }
  static void describe(FaultyPlugin& plugin, std::uint32_t index, loci_device_info& info);
  HostDevice(FaultyPlugin& plugin, const sdk::Host& host, std::uint32_t index);
};

// Into the stream, or at once where the device has none.
void run_in(loci_stream* stream, const Work& work, std::function<void()> task);

}  // namespace loci::faulty
