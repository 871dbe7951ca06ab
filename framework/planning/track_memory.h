// Offsets for buffers that are used on several tracks.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/planning/memory_plan.h"
#include "framework/planning/timeline.h"

namespace loci::planning {

struct TrackBuffer {
  std::uint64_t bytes = 0;
  std::int32_t first = 0;        // the instruction that needs it first
  std::int32_t last = 0;         // of those that use it, the last one in order
  const Clock* ended = nullptr;  // when all of them have ended; null: it outlives the run
};

// In the order of instructions. What has ended belongs to the track that used it last, once that
// knows of the end; an instruction takes the smallest gap of its track that holds a buffer, else
// one of the others' of which it knows that it has ended. (n log n) times the number of tracks: for
// more than kFewIntervals buffers, where greedy by size would take n^2.
MemoryPlan plan_memory(const std::vector<TrackBuffer>& buffers, const Timeline& timeline);

}  // namespace loci::planning
