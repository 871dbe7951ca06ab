// A selection says which elements of a line have the smallest keys, in the order of those.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// A key with its position, the order of which decides between equal ones.
template <class Key>
struct KeyEntry {
  Key key;
  Key index;

  friend bool operator<(const KeyEntry& a, const KeyEntry& b) {
    if constexpr (sizeof(Key) == 4) {
      return a.joined() < b.joined();
    } else {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    }
  }
  [[nodiscard]] std::uint64_t joined() const {
    return static_cast<std::uint64_t>(key) << 32 | index;
  }
};

// Finds the first `chosen` of `count` keys of so many bits. A few are collected in one pass, which
// passes over blocks that have none; many are found by counting digits. Immutable.
template <class Key>
class LineSelection {
 public:
  using Entry = KeyEntry<Key>;

  LineSelection(std::int64_t count, std::int64_t chosen, int bits, bool is_sorted)
      : count_(count),
        chosen_(chosen),
        bits_(bits),
        is_sorted_(is_sorted),
        are_few_(chosen <= kMostCollected && chosen * 8 <= count) {}

  // Entries that choose() needs.
  [[nodiscard]] std::int64_t scratch() const {
    return are_few_ ? 2 * chosen_ + kBlock + 1 : 2 * chosen_;
  }

  // Gives the chosen ones, somewhere in the scratch.
  [[nodiscard]] const Entry* choose(const Key* keys, Entry* scratch) const {
    if (chosen_ == 0) return scratch;
    if (!are_few_) return choose_many(keys, scratch);
    if (chosen_ <= kMostInserted) {
      run_widest([&](auto) LOCI_INLINE { insert_each(keys, scratch); });
      return scratch;
    }
    run_widest([&](auto) LOCI_INLINE { collect(keys, scratch); });
    if (is_sorted_) std::sort(scratch, scratch + chosen_);
    return scratch;
  }

 private:
  static constexpr std::int64_t kBlock = 64;
  static constexpr std::int64_t kPart = 16;  // of a block that has some
  static constexpr std::int64_t kMostInserted = 16;
  static constexpr std::int64_t kMostCollected = 4096;
  static constexpr std::int64_t kFewToSort = 512;
  static constexpr int kDigitBits = 11;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

  // Looks for a key below `last` among so many, side by side.
  template <std::int64_t count>
  LOCI_INLINE static bool has_below(const Key* keys, Key last) {
    Key found = 0;
#pragma omp simd reduction(| : found)
    for (std::int64_t i = 0; i < count; ++i) found |= keys[i] < last ? Key{1} : Key{0};
    return found != 0;
  }

  // Calls visit(begin, end) for parts that have all keys below last(), perhaps with others.
  template <class Last, class Visit>
  LOCI_INLINE void each_part(const Key* keys, std::int64_t from, const Last& last,
                             const Visit& visit) const {
    for (std::int64_t begin = from; begin < count_; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, count_);
      if (end - begin < kBlock) return visit(begin, end);
      if (!has_below<kBlock>(keys + begin, last())) continue;
      for (std::int64_t at = begin; at < end; at += kPart) {
        if (has_below<kPart>(keys + at, last())) visit(at, at + kPart);
      }
    }
  }

  // A later key that equals the last of those kept comes behind it.
  LOCI_INLINE void insert_each(const Key* keys, Entry* entries) const {
    const auto insert = [=](std::int64_t i, std::int64_t at) LOCI_INLINE {
      for (; at > 0 && keys[i] < entries[at - 1].key; --at) entries[at] = entries[at - 1];
      entries[at] = {keys[i], static_cast<Key>(i)};
    };
    for (std::int64_t i = 0; i < chosen_; ++i) insert(i, i);
    const auto last = [=, this]() LOCI_INLINE { return entries[chosen_ - 1].key; };
    each_part(keys, chosen_, last, [=, this](std::int64_t begin, std::int64_t end) LOCI_INLINE {
      for (std::int64_t i = begin; i < end; ++i) {
        if (keys[i] < entries[chosen_ - 1].key) insert(i, chosen_ - 1);
      }
    });
  }

  LOCI_INLINE void collect(const Key* keys, Entry* entries) const {
    std::int64_t found = std::min(2 * chosen_, count_);
    for (std::int64_t i = 0; i < found; ++i) entries[i] = {keys[i], static_cast<Key>(i)};
    const std::int64_t first = found;
    keep_chosen(entries, &found);
    const auto last = [&]() LOCI_INLINE { return entries[chosen_ - 1].key; };
    Key limit = last();
    each_part(
        keys, first, [&]() LOCI_INLINE { return limit; },
        [&](std::int64_t begin, std::int64_t end) LOCI_INLINE {
          for (std::int64_t i = begin; i < end; ++i) {
            entries[found] = {keys[i], static_cast<Key>(i)};
            found += keys[i] < limit ? 1 : 0;
          }
          if (found < 2 * chosen_) return;
          keep_chosen(entries, &found);
          limit = last();
        });
    keep_chosen(entries, &found);
  }

  // The last of them is the one at their end.
  void keep_chosen(Entry* entries, std::int64_t* found) const {
    if (*found > chosen_) std::nth_element(entries, entries + chosen_ - 1, entries + *found);
    *found = chosen_;
  }

  const Entry* choose_many(const Key* keys, Entry* entries) const {
    std::int64_t equals = count_;  // that are taken of those like the last one
    const Key last = chosen_ < count_ ? last_key(keys, &equals) : std::numeric_limits<Key>::max();
    std::int64_t found = 0;
    for (std::int64_t i = 0; found < chosen_; ++i) {
      if (keys[i] > last || (keys[i] == last && equals-- <= 0)) continue;
      entries[found++] = {keys[i], static_cast<Key>(i)};
    }
    if (!is_sorted_) return entries;
    if (chosen_ > kFewToSort) return sort_by_digits(entries, entries + chosen_);
    std::sort(entries, entries + chosen_);
    return entries;
  }

  // The last key that is chosen, and how many like it are.
  Key last_key(const Key* keys, std::int64_t* equals) const {
    std::int64_t rank = chosen_;  // among the keys that begin so
    Key known{};
    for (int high = bits_; high > 0; high -= kDigitBits) {
      const int low = std::max(high - kDigitBits, 0);
      std::int64_t counts[kDigits] = {};
      for (std::int64_t i = 0; i < count_; ++i) {
        const bool begins_so = high == bits_ || keys[i] >> high == known >> high;
        counts[digit(keys[i], low, high)] += begins_so ? 1 : 0;
      }
      std::size_t at = 0;
      for (; counts[at] < rank; ++at) rank -= counts[at];
      known |= static_cast<Key>(at) << low;
    }
    *equals = rank;
    return known;
  }

  static std::size_t digit(Key key, int low, int high) {
    return static_cast<std::size_t>(key >> low) & ((std::size_t{1} << (high - low)) - 1);
  }

  // Sorts all that are chosen, which lie by their positions; `spare` has room for as many.
  const Entry* sort_by_digits(Entry* entries, Entry* spare) const {
    for (int low = 0; low < bits_; low += kDigitBits) {
      const int high = std::min(low + kDigitBits, bits_);
      std::int64_t starts[kDigits] = {};
      for (std::int64_t i = 0; i < chosen_; ++i) ++starts[digit(entries[i].key, low, high)];
      if (starts[digit(entries[0].key, low, high)] == chosen_) continue;  // all have the same
      std::int64_t start = 0;
      for (std::int64_t& count : starts) start += std::exchange(count, start);
      for (std::int64_t i = 0; i < chosen_; ++i) {
        spare[starts[digit(entries[i].key, low, high)]++] = entries[i];
      }
      std::swap(entries, spare);
    }
    return entries;
  }

  std::int64_t count_;
  std::int64_t chosen_;
  int bits_;
  bool is_sorted_;
  bool are_few_;
};

}  // namespace loci::kernels
