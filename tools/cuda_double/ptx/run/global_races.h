// Finds accesses to global memory by two blocks of a launch that nothing orders.
//
// What orders them is a fence and an atomic access on each side, as in a reduction whose last block
// sums up. Releases of all blocks are numbered in one order; a block that acquires knows all
// releases before it. That is coarser than the memory model, where both have to meet at one
// address: some races are missed, and nothing that is ordered is reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tools/cuda_double/memory/mapped_range.h"
#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

class DeviceMemory;

// The clock orders a block's accesses before others. All but the releases is its worker's alone.
struct BlockClock {
  std::mutex mutex;
  std::uint64_t block = 0;
  std::vector<std::uint64_t> releases;  // when, in the order of the launch
  std::uint64_t acquired = 0;           // releases before this are known
  bool has_strong_read = false;         // a fence makes an acquire of it
  bool acquires = false;                // at the next access, which comes after the read
  bool fenced = false;                  // the next strong write releases
};

class GlobalRaces {
 public:
  explicit GlobalRaces(const DeviceMemory& memory);
  ~GlobalRaces();

  // Gives the clock of a block that begins, until it ends.
  [[nodiscard]] BlockClock& begin(std::uint64_t block);
  void end(const BlockClock& clock);

  // One lane's access to memory of the reserved range. Throws KernelFault.
  void access(Warp& warp, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes,
              bool write, bool strong);

  void fence(BlockClock& clock);
  // Before a strong access.
  void strong_write(BlockClock& clock, bool releases);
  static void strong_read(BlockClock& clock, bool acquires);

 private:
  struct Cell;
  struct Visit;

  [[nodiscard]] Cell& cell(std::uint64_t address);
  [[nodiscard]] bool ordered(BlockClock& reader, std::uint32_t block, std::uint32_t epoch);
  void visit(Warp& warp, std::uint32_t lane, std::uint64_t address, Cell& cell, const Visit& now);
  [[noreturn]] static void fail(Warp& warp, std::uint32_t lane, std::uint64_t address, bool write,
                                const Visit& other);

  std::uint64_t first_;
  std::uint64_t bytes_;
  MappedRange pages_;  // of pointers to the cells of a page
  std::mutex page_mutex_;
  std::vector<Cell*> owned_;
  std::mutex clocks_mutex_;
  std::unordered_map<std::uint64_t, BlockClock> clocks_;  // of blocks that run or have released
  std::atomic<std::uint64_t> order_{1};
};

}  // namespace loci::cuda_double
