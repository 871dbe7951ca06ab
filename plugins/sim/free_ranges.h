// Which parts of an address range are free.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace loci::sim {

// First fit; neighbours join when they are given back. Not thread-safe.
class FreeRanges {
 public:
  explicit FreeRanges(std::uint64_t bytes);

  // The offset of `bytes` bytes that are free no longer; none if no free range is that long.
  // Changes nothing where it throws std::bad_alloc.
  std::optional<std::uint64_t> take(std::uint64_t bytes);
  // Gives back a range that take() gave.
  void give(std::uint64_t offset, std::uint64_t bytes) noexcept;

 private:
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // offset -> bytes

  void add_spare();

  Ranges ranges_;
  std::vector<Ranges::node_type> spares_;  // one for each piece that was taken: to give needs one
};

}  // namespace loci::sim
