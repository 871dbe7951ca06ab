// What plans and the frames of their runs take.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace loci::runtime {

// Of an executor: of all its plans, those of loops and of later stages too. Bytes; those of frames
// are on all devices. Thread-safe.
struct PlanMemory {
  explicit PlanMemory(std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : most_bytes(most) {}

  [[nodiscard]] bool is_over() const { return plans.load() + frames.load() > most_bytes; }

  const std::uint64_t most_bytes;  // before what is not in use is given up
  std::atomic<std::uint64_t> plans{0};
  std::atomic<std::uint64_t> frames{0};
  std::atomic<bool> has_grown{false};  // since somebody set it back
};

class Plan;

// About what goes when the plan does: its copy of the program included, and the kernels, though
// others may have them too; not the plans of its loops and its rest, which count by themselves.
[[nodiscard]] std::uint64_t plan_bytes(const Plan& plan);
// What a frame of it takes: the arenas and states, and the records of a run.
[[nodiscard]] std::uint64_t frame_bytes(const Plan& plan);

}  // namespace loci::runtime
