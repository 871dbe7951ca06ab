// Choosing the streams of a plan.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/execution/plan.h"
#include "framework/execution/schedule.h"
#include "framework/planning/timeline.h"

namespace loci::planning {

struct TimedSchedule {
  execution::Schedule schedule;
  Timeline timeline;
};

// Kernels of a chain share a stream and those of independent branches have others, up to
// `compute_streams` of each device; a copy between places has a stream beside them where it would
// hold up one of theirs. A wait is left out where the order follows from others. Nothing if no two
// instructions could run at the same time.
std::optional<TimedSchedule> make_schedule(const execution::Plan& plan,
                                           std::size_t compute_streams);

}  // namespace loci::planning
