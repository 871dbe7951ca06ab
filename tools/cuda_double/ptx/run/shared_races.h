// Finds accesses to shared memory by two threads that no barrier orders.
//
// Each warp has a clock that advances whenever it is synchronised, and knows the others' clocks as
// of the last barrier with them. An access is stamped with its warp's clock; it comes before an
// access of another thread if that one's warp knows a later clock of the first. Lanes of one warp
// are ordered by bar.warp.sync and what implies it, not by executing together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

struct Block;

class SharedRaces {
 public:
  SharedRaces(std::uint32_t bytes, std::uint32_t warps);

  // One lane's access. `strong`: atomic or volatile, which do not race with each other. Throws
  // KernelFault.
  void access(Warp& warp, std::uint32_t lane, std::uint32_t offset, std::uint32_t bytes, bool write,
              bool strong);

  // The warp's lanes were ordered among themselves.
  static void synchronise_warp(Warp& warp);
  // All the warps know what each of them knew.
  void synchronise(const std::vector<Warp*>& warps, const std::vector<std::uint32_t>& arrived);
  // Orders what the warp did until now before what those do who join these clocks.
  static void contribute(Warp& warp, std::vector<std::uint32_t>& clocks);
  // Through a fence and a flag: everything released so far is known.
  void release(Warp& warp);
  void acquire(Warp& warp);

 private:
  struct Stamp {
    std::uint16_t thread = 0;  // 1 + its number; 0: none
    bool strong = false;
    std::uint32_t clock = 0;
    std::uint32_t moment = 0;  // which of the warp's instructions it was
    std::uint32_t place = 0;
    const FunctionCode* function = nullptr;
  };
  struct Cell {
    Stamp writer;
    Stamp reader;
    Stamp earlier_reader;
  };

  [[nodiscard]] static bool ordered(const Warp& warp, std::uint32_t thread, const Stamp& stamp);
  [[nodiscard]] static bool at_once(const Warp& warp, const Stamp& stamp);
  [[noreturn]] static void fail(const Warp& warp, std::uint32_t lane, std::uint32_t offset,
                                bool write, const Stamp& other, bool other_writes);

  std::vector<Cell> cells_;
  std::vector<std::uint32_t> released_;
};

}  // namespace loci::cuda_double
