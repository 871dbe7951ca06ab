#include "tools/cuda_double/ptx/run/lane_memory.h"

#include <cstring>

#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {
namespace {

constexpr std::size_t kLongestText = 1U << 16;

}  // namespace

void read_lane(Warp& warp, std::uint32_t lane, std::uint64_t address, void* to,
               std::uint32_t bytes) {
  LaneAddresses addresses{};
  LanePointers pointers;
  addresses[lane] = address;
  locate(warp, LaneMask{1} << lane, addresses,
         {.space = StateSpace::kGeneric, .bytes = bytes, .strong = true}, pointers);
  std::memcpy(to, pointers.data[lane], bytes);
}

std::string read_text(Warp& warp, std::uint32_t lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestText) {
    char next = 0;
    read_lane(warp, lane, address + text.size(), &next, 1);
    if (next == 0) break;
    text += next;
  }
  return text;
}

}  // namespace loci::cuda_double
