// What a device can do at most, measured on this machine: the yardstick of rooflines.
//
// Arithmetic is a float32 product of square matrices, memory a copy that reads and writes every
// byte (as STREAM's copy counts, https://www.cs.virginia.edu/stream/ref.html). Both run through an
// Executor, so that they are what a program can reach. The best of several runs counts.
#pragma once

#include <loci/place.hpp>
#include <optional>
#include <string>

#include "framework/device/device.h"

namespace loci::reporting {

struct Peaks {
  double flops = 0;  // per second, float32
  double bytes = 0;  // per second, read and written
};

// Runs for about half a second. Throws Error if the place cannot run a product or a copy.
Peaks measure_peaks(const Place& place);

// Kept between runs in a file for each device: $XDG_CACHE_HOME/loci/peaks, else
// ~/.cache/loci/peaks. One that cannot be written is no failure.
class PeakCache {
 public:
  // Without a directory nothing is kept.
  explicit PeakCache(std::string directory) : directory_(std::move(directory)) {}
  static std::string directory_of_user();

  // Nothing if none are kept for a device of that name and driver, that many threads and this
  // version of Loci.
  [[nodiscard]] std::optional<Peaks> find(const device::Device& device) const;
  void keep(const device::Device& device, const Peaks& peaks) const;

 private:
  [[nodiscard]] std::string path_of(const device::Device& device) const;

  std::string directory_;
};

}  // namespace loci::reporting
