// Threads of the host that run a launch's blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/cuda_double/ptx/run/access_record.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"

namespace loci::cuda_double {

// Hands out the blocks of a grid, each once, in order or in one that a seed draws. Thread-safe.
class BlockOrder {
 public:
  BlockOrder(std::uint64_t count, std::uint64_t seed);
  // Returns true if there was one left.
  bool take(std::uint64_t& index);

 private:
  [[nodiscard]] std::uint64_t permuted(std::uint64_t number) const;

  std::uint64_t count_;
  std::uint64_t seed_;
  unsigned half_bits_ = 1;
  std::atomic<std::uint64_t> next_{0};
};

class Worker {
 public:
  Worker(Grid& grid, BlockOrder& order);

  // Until there are no blocks, or the launch has stopped. Keeps faults in the grid; throws nothing.
  void run() noexcept;

  [[nodiscard]] const WorkerCounts& counts() const { return counts_; }
  [[nodiscard]] AccessRecord& accesses() { return accesses_; }

 private:
  void run_blocks();
  bool start_block();
  void check_limit(std::uint64_t executed);

  Grid& grid_;
  BlockOrder& order_;
  WorkerCounts counts_;
  AccessRecord accesses_;
  std::vector<std::unique_ptr<Block>> live_;
  std::vector<std::unique_ptr<Block>> unused_;
};

}  // namespace loci::cuda_double
