// Where the events of a trace stand: process and thread numbers. The host is one process with a
// thread for each of its own; each device is one with a thread for each lane of its streams.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "plugins/report_data/device_lanes.h"

namespace loci::report {

struct TrackId {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
};

class TraceTracks {
 public:
  // Both outlive it.
  TraceTracks(const loci_profile& profile, const DeviceLanes& lanes)
      : profile_(profile), lanes_(lanes) {}

  [[nodiscard]] TrackId steps() const { return {host(), kSteps}; }
  [[nodiscard]] TrackId thread(std::uint32_t number) const { return {host(), number + 1}; }
  // Index of DeviceLanes::tracks.
  [[nodiscard]] TrackId device_work(std::uint32_t track) const {
    return {device(lanes_.tracks[track].device), track + 1};
  }
  [[nodiscard]] TrackId idle(std::uint32_t device_index) const {
    return {device(device_index), kIdle};
  }
  // The device at the place, or the host.
  [[nodiscard]] TrackId memory(loci_str place) const;

  using Emit = std::function<void(std::string_view event)>;
  // Names and order of them all. `remark` stands beside the host's name, unless it is empty.
  void describe(const Emit& emit, std::string_view remark) const;

 private:
  // Beyond all threads and lanes.
  static constexpr std::uint64_t kSteps = 1'000'000;
  static constexpr std::uint64_t kIdle = 1'000'001;

  [[nodiscard]] std::uint64_t host() const;
  [[nodiscard]] std::uint64_t device(std::uint32_t index) const { return host() + 1 + index; }
  void describe_host(const Emit& emit, std::string_view remark) const;
  void describe_devices(const Emit& emit) const;

  const loci_profile& profile_;
  const DeviceLanes& lanes_;
};

}  // namespace loci::report
