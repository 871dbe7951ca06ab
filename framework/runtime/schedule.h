// In which streams a plan runs, and what waits for what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "framework/device/device.h"
#include "framework/runtime/timeline.h"

namespace loci::runtime {

class Plan;

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

struct TimedSchedule {
  Schedule schedule;
  Timeline timeline;
};

// Kernels of a chain share a stream and those of independent branches have others, up to
// `compute_streams` of each device; a copy between places has a stream beside them where it would
// hold up one of theirs. A wait is left out where the order follows from others. Nothing if no two
// instructions could run at the same time, or the plan has instructions of another kind.
std::optional<TimedSchedule> make_schedule(const Plan& plan, std::size_t compute_streams);

}  // namespace loci::runtime
