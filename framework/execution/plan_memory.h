// The memory that plans and the frames of their runs take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "framework/execution/arena_pool.h"

namespace loci::execution {

// Counts for an executor: all its plans, those of loops and of later stages too. Bytes, on all
// devices. Thread-safe.
struct PlanMemory {
  explicit PlanMemory(std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : most_bytes(most) {}

  // The bytes that are given up, where they are not in use, to keep to the limit.
  [[nodiscard]] std::uint64_t kept() const { return plans.load() + frames.load(); }
  [[nodiscard]] std::uint64_t limit() const { return std::max(most_bytes, for_latest.load()); }
  [[nodiscard]] bool is_over() const { return kept() > limit(); }

  const std::uint64_t most_bytes;
  std::atomic<std::uint64_t> for_latest{0};  // whose plans may take that in any case
  std::atomic<std::uint64_t> plans{0};
  std::atomic<std::uint64_t> frames{0};  // with arenas of their own, but for the shared ones
  std::atomic<std::uint64_t> shared{0};  // of `arenas`
  std::atomic<bool> has_grown{false};    // since somebody set it back
  ArenaPool arenas{&shared};
};

class Plan;

// About what goes when the plan does: its own copy of the program included, and the kernels, though
// others may have them too; not the plans of its loops and its rest, which count by themselves.
[[nodiscard]] std::uint64_t plan_bytes(const Plan& plan);
// The bytes of one of its frames, but for its arenas: the states, and the records of a run.
[[nodiscard]] std::uint64_t frame_bytes(const Plan& plan);
// The arenas of one run of it.
[[nodiscard]] std::uint64_t arena_bytes(const Plan& plan);

}  // namespace loci::execution
