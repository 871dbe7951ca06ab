// Where the host's time went, and how long steps took: the figures that reports share.
//
//   step    what the application marked, else an outermost run of the main thread; its time is that
//           from its begin to its end, with all that the host did or waited for in it
//   self    of a span or a node: its time that no span within it covers
//   host    of a row: the self time of its spans and of the phases and calls of a device's
//   interface
//           in them, leaving out what lies in a span in which the host waits (that is idle); so the
//           rows add up to the self time of all threads, and
//           wall = self + idle + unaccounted for each thread
//   device  of a row: the time of all device work that its spans, phases and calls launched
//           themselves; work launched by other operators within it is theirs
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/report_data/json_writer.h"

namespace loci::report {

// The spans of one kind, name and place: operators of a type, a part of the framework, copies.
struct TimeRow {
  std::uint32_t kind = 0;
  std::string name;
  std::string place;
  std::uint64_t calls = 0;
  std::uint64_t host_ns = 0;
  std::uint64_t device_ns = 0;
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;

  // The time that its work took: on the device where there is one that reports it, else the host's;
  // 0, which is not known, at a queued device, where the host only launches.
  std::uint64_t work_ns = 0;
};

// Returns rows ordered by host time, most first. Spans in which the host waits have no row.
std::vector<TimeRow> time_rows(const loci_profile& profile);

struct StepTimes {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t mean_ns = 0;
  std::uint64_t median_ns = 0;  // of the middle two the mean
  std::uint64_t min_ns = 0;
  std::uint64_t max_ns = 0;
};
StepTimes step_times(const loci_profile& profile);

void write_time_rows(JsonWriter& json, const loci_profile& profile);
void write_step_times(JsonWriter& json, const loci_profile& profile);

}  // namespace loci::report
