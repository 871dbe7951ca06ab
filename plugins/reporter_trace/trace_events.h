// The events of a trace, each one JSON object without line ends.
//
// Times are microseconds with three decimals, which is to the nanosecond. Slices of a track nest or
// lie apart: a host span ends with the one around it at the latest, device work that runs at the
// same time stands on lanes of its own.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/report_data/device_lanes.h"
#include "plugins/reporter_trace/trace_tracks.h"
#include "plugins/reporter_trace/trace_window.h"

namespace loci::report {

// How much of what there is is shown.
struct TraceCounts {
  std::uint64_t spans = 0;
  std::uint64_t device_spans = 0;
  std::uint64_t memory_events = 0;
  std::uint64_t flows = 0;
};

class TraceEvents {
 public:
  // Both outlive it.
  TraceEvents(const loci_profile& profile, const DeviceLanes& lanes);

  // `at_ns` is the time by which an event counts into a window: with a shorter one it is left out
  // or takes no more bytes. Events of one track come by time, outer ones first.
  using Emit = std::function<void(std::uint64_t at_ns, std::string_view event)>;
  TraceCounts write(const TraceWindow& window, const Emit& emit) const;

 private:
  // The texts of a label, ready to be written.
  struct LabelText {
    std::string head;  // name and category
    std::string args;
    std::string launcher_args;  // of device work that it launched
  };

  void write_steps(const TraceWindow& window, const Emit& emit) const;
  // Gives the begin of each slice; that of one that is not shown is kNotShown.
  std::vector<std::uint64_t> write_spans(const TraceWindow& window, const Emit& emit,
                                         TraceCounts& counts) const;
  void write_device_work(const TraceWindow& window, const std::vector<std::uint64_t>& begins,
                         const Emit& emit, TraceCounts& counts) const;
  void write_gaps(const TraceWindow& window, const Emit& emit) const;
  void write_memory(const TraceWindow& window, const Emit& emit, TraceCounts& counts) const;

  const loci_profile& profile_;
  const DeviceLanes& lanes_;
  TraceTracks tracks_;
  std::vector<LabelText> labels_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::string>
      work_heads_;                         // by kind and name
  std::vector<std::string> memory_heads_;  // by tensor
};

}  // namespace loci::report
