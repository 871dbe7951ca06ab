// Peaks of devices, kept between runs.
#pragma once

#include <cstddef>
#include <loci/plugin/cache_folder.hpp>
#include <optional>
#include <string>

#include "framework/device/device.h"
#include "framework/reporting/peaks.h"

namespace loci::reporting {

// A file for each device: $XDG_CACHE_HOME/loci/peaks, else ~/.cache/loci/peaks. One that cannot be
// written is no failure, and a damaged one is none.
class PeakCache {
 public:
  // Without a directory nothing is kept.
  explicit PeakCache(std::string directory);
  static std::string directory_of_user() { return sdk::CacheFolder::of_user("peaks"); }

  // The latest that were kept; older ones are removed.
  static constexpr std::size_t kMostEntries = 64;

  // Nothing if none are kept for a device like that: of the same name, architecture and driver, by
  // the same build of its plugin and of those of its kernels with the same settings, with as many
  // threads and processors, and this version of Loci.
  [[nodiscard]] std::optional<Peaks> find(const device::Device& device) const;
  void keep(const device::Device& device, const Peaks& peaks) const;

 private:
  sdk::CacheFolder folder_;
};

}  // namespace loci::reporting
