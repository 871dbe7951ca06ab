// Which parts of an address range are free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace loci::sim {

// First fit; neighbours join when they are given back. Not thread-safe.
class FreeRanges {
 public:
  explicit FreeRanges(std::uint64_t bytes) { ranges_[0] = bytes; }

  // The offset of `bytes` bytes that are free no longer; none if no free range is that long.
  std::optional<std::uint64_t> take(std::uint64_t bytes);
  // What take gave.
  void give(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // offset -> bytes
};

}  // namespace loci::sim
