// How long work takes on the described machine.
#pragma once

#include <chrono>
#include <cstdint>

#include "plugins/sim/settings.h"

namespace loci::sim {

enum class Route { kToDevice, kToHost, kPeer, kLocal };

class TimeModel {
 public:
  using Duration = std::chrono::nanoseconds;

  explicit TimeModel(const Settings& settings) : settings_(settings) {}

  // copy_latency_us + bytes / bandwidth of the route.
  [[nodiscard]] Duration copy(Route route, std::uint64_t bytes) const;
  // launch_us + flops / gflops.
  [[nodiscard]] Duration launch(double flops) const;

 private:
  const Settings settings_;
};

}  // namespace loci::sim
