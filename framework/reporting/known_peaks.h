// Which peaks of a device a profile shows: those that are kept, or new ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "framework/device/device.h"
#include "framework/reporting/peak_cache.h"
#include "framework/reporting/peaks.h"

namespace loci::reporting {

// Returns true if something else ran while they were measured, so that the device may do more.
[[nodiscard]] bool is_disturbed(const Peaks& peaks);

// For the data quality of a profile: what is to be said of peaks that were disturbed, with what to
// do; empty if nothing is.
[[nodiscard]] std::string caveat(const Peaks& peaks);

// Keeps peaks for a month, and those that were disturbed for ten minutes; then they are measured
// anew where that is allowed. Of disturbed ones the best that was reached counts.
class KnownPeaks {
 public:
  using Measure = std::function<Peaks(const Place&)>;

  explicit KnownPeaks(PeakCache cache, Measure measure = measure_peaks)
      : cache_(std::move(cache)), measure_(std::move(measure)) {}

  // At that time, in seconds since 1970. Nothing if none are known, and none may be measured or can
  // be: then `why` gets the reason.
  [[nodiscard]] std::optional<Peaks> of(const device::Device& device, bool may_measure,
                                        std::int64_t now, std::string& why) const;

 private:
  PeakCache cache_;
  Measure measure_;
};

}  // namespace loci::reporting
