// A block of threads under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/cuda_double/ptx/run/barrier.h"
#include "tools/cuda_double/ptx/run/global_races.h"
#include "tools/cuda_double/ptx/run/shared_races.h"
#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

struct Grid;
class AccessRecord;
struct AsyncCopies;

// A worker counts this for all blocks that it runs.
struct WorkerCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::vector<std::uint64_t> lanes_by_opcode;
  std::uint64_t global_bytes_read = 0;
  std::uint64_t global_bytes_written = 0;
  std::uint64_t global_requests = 0;
  std::uint64_t global_sectors = 0;
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_conflicts = 0;
};

struct Block {
  Grid* grid = nullptr;
  std::uint64_t index = 0;
  Dim3 id{0, 0, 0};
  std::uint32_t threads = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::byte> shared;
  std::vector<std::uint8_t> shared_states;  // empty without the check
  std::array<Barrier, kBarriers> barriers;
  std::unique_ptr<SharedRaces> shared_races;  // NULL without the check
  BlockClock* clock = nullptr;                // of the check for races in global memory
  WorkerCounts* counts = nullptr;             // NULL: nothing is counted
  AccessRecord* accesses = nullptr;           // NULL: nobody observes
  std::uint64_t random = 0;                   // the state of its draws; 0: none

  // The lanes of all warps that have not exited.
  [[nodiscard]] std::uint32_t live_threads() const {
    std::uint32_t count = 0;
    for (const auto& warp : warps) count += lane_count(warp->live);
    return count;
  }
};

}  // namespace loci::cuda_double
