// A hash table from 64-bit keys to indexes.
#pragma once

#include <loci/abi/profile.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace loci::profiler {

// Open addressing in one array, because a profile looks up each of its events. Entries are only
// added. A value is never LOCI_PROFILE_NONE.
class IdMap {
 public:
  explicit IdMap(std::size_t expected = 0) : slots_(std::bit_ceil(2 * expected + 16)) {}

  // The value of the key, with `value` for a key that is new, and whether it is. The reference
  // holds until the next emplace().
  std::pair<std::uint32_t&, bool> emplace(std::uint64_t key, std::uint32_t value) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slots_[position(key)];
    const bool is_new = slot.value == LOCI_PROFILE_NONE;
    if (is_new) {
      slot = {key, value};
      ++count_;
    }
    return {slot.value, is_new};
  }

  // LOCI_PROFILE_NONE if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const { return slots_[position(key)].value; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = LOCI_PROFILE_NONE;
  };

  // The position of the key, or of the free slot where it belongs. Fibonacci hashing spreads keys
  // that follow one another.
  [[nodiscard]] std::size_t position(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    const int shift = 64 - std::countr_zero(slots_.size());
    std::size_t at = (key * 0x9E3779B97F4A7C15U) >> shift;
    while (slots_[at].value != LOCI_PROFILE_NONE && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != LOCI_PROFILE_NONE) slots_[position(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace loci::profiler
