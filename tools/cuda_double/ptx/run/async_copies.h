// Copies into shared memory that a thread has begun and not waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/cuda_double/ptx/run/memory_access.h"
#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

inline constexpr std::uint32_t kMostCopyBytes = 16;

struct AsyncCopy {
  std::uint32_t lane = 0;
  std::uint32_t group = 0;   // how many the lane had committed before
  std::uint64_t shared = 0;  // offset in shared memory
  std::uint32_t bytes = 0;
  std::array<std::byte, kMostCopyBytes> data{};  // zero where nothing is read
  std::array<std::uint8_t, kMostCopyBytes> states{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
};

struct AsyncCopies {
  std::vector<AsyncCopy> pending;
  std::array<std::uint32_t, kLanes> committed{};
};

// Copies that lanes begin together, each at its lane's place.
using CopiesOfLanes = std::array<AsyncCopy, kLanes>;

// Reads the copies of lanes in the mask, of `bytes` bytes each: one access of the warp. Throws
// KernelFault.
void read_sources(Warp& warp, LaneMask mask, const LaneAddresses& global, std::uint32_t bytes,
                  CopiesOfLanes& copies);
// Fewer bytes than the copy has.
void read_part(Warp& warp, std::uint64_t global, std::uint32_t bytes, AsyncCopy& copy);
// Writes what the lanes of the mask began, up to all but the last `still_going` groups; with
// `uncommitted` also what is in no group yet.
void finish_copies(Warp& warp, LaneMask mask, std::uint32_t still_going, bool uncommitted);

}  // namespace loci::cuda_double
