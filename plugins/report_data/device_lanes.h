// Tracks for what devices did: work of one stream that runs at the same time, as the nodes of a
// replayed graph do, takes more than one.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

namespace loci::report {

struct DeviceTrack {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t lane = 0;  // counted within the stream
  std::uint32_t count = 0;
};

// The place of one work on its track, where none overlaps another.
struct DeviceSlot {
  std::uint32_t track = 0;  // index of DeviceLanes::tracks
  // The work's own, but for what overlaps earlier work by no more than the error of the clock.
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

struct DeviceLanes {
  std::vector<DeviceTrack> tracks;  // by device, stream and lane
  std::vector<DeviceSlot> slots;    // one for each device span of the profile
};

DeviceLanes device_lanes(const loci_profile& profile);

}  // namespace loci::report
