// Free large blocks by size. No function allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "framework/memory/block.h"

namespace loci::memory {

// Lists of blocks of about one size, four to each power of two. Not thread-safe.
class FreeLists {
 public:
  // The smallest block of at least that size in the first list that has one; stays in its list.
  [[nodiscard]] Block* find(std::uint64_t bytes) const noexcept;
  void insert(Block* block) noexcept;
  void erase(Block* block) noexcept;

 private:
  static constexpr std::size_t kLists = 256;
  [[nodiscard]] std::size_t next_used(std::size_t list) const noexcept;

  std::array<Block*, kLists> heads_{};
  std::array<std::uint64_t, kLists / 64> used_{};  // a bit for each list that is not empty
};

}  // namespace loci::memory
