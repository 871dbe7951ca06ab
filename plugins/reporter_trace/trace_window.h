// The time that a trace shows, and what it leaves out.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/reporter_trace/trace_settings.h"

namespace loci::report {

// [begin, end) in nanoseconds since the session began.
struct TraceWindow {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;

  // Returns true if any of [begin, end] lies in it; a moment counts as something.
  [[nodiscard]] bool shows(std::uint64_t begin, std::uint64_t end) const {
    return begin < end_ns && (end > begin_ns || begin >= begin_ns);
  }
};

// The steps of that range, or the whole session. Throws Error(LOCI_CODE_INVALID_ARGUMENT) if the
// profile has none of these steps.
TraceWindow selected_window(const loci_profile& profile, const std::optional<StepRange>& steps);

// Sizes of events, summed by the time at which they begin.
class SizeByTime {
 public:
  // Pieces of the window: the profile's steps in it, or slices of equal length where it has none or
  // `by_steps` is false.
  SizeByTime(const loci_profile& profile, const TraceWindow& window, bool by_steps);
  void add(std::uint64_t at_ns, std::uint64_t bytes);
  // The longest window of whole pieces, from the first, whose events take at most `max_bytes`;
  // empty if not even the first one fits.
  [[nodiscard]] TraceWindow longest(std::uint64_t max_bytes) const;

 private:
  TraceWindow window_;
  std::vector<std::uint64_t> ends_;  // of the pieces
  std::vector<std::uint64_t> bytes_;
};

}  // namespace loci::report
