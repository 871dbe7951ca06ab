// In which streams a plan runs, and what waits for what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/device/device.h"

namespace loci::execution {

struct ScheduledStream {
  device::Device* device = nullptr;
  std::size_t index = 0;  // of the device's; 0 is the default one
};

// How one instruction is issued.
struct ScheduledStep {
  static constexpr std::int32_t kHost = -1;

  std::int32_t stream = kHost;  // index into Schedule::streams
  bool blocks = false;          // the host waits for its end
  bool signals = false;         // something waits for its end by an event
  // Instructions that its stream waits for, and that the host waits for before it is issued.
  std::vector<std::uint32_t> stream_waits;
  std::vector<std::uint32_t> host_waits;
};

// A stream beside the default one of a device.
struct StreamBesides {
  std::uint32_t stream = 0;  // index into Schedule::streams
  device::Device* device = nullptr;

  friend bool operator==(const StreamBesides&, const StreamBesides&) = default;
};

// Streams begin behind the default ones of the devices whose memory they touch, and those end
// behind the others, so that whoever knows of default streams alone needs to know no more.
struct Schedule {
  std::vector<ScheduledStream> streams;
  std::vector<ScheduledStep> steps;   // by instruction
  std::vector<std::uint32_t> order;   // in which instructions are issued
  std::vector<StreamBesides> begins;  // the stream waits for the default one
  std::vector<StreamBesides> ends;    // the default one waits for the stream
};

}  // namespace loci::execution
