// Host memory that copies need not wait for.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace loci::sim {

// One for all devices of the plugin. All functions may be called from any thread. Throws
// Error(LOCI_CODE_INVALID_ARGUMENT) for ranges that overlap a pinned one or are not pinned.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // Memory of its own. Throws std::bad_alloc.
  void* allocate(std::uint64_t bytes);
  // begin_free: from now on it is pinned no longer; returns its bytes. finish_free gives it back.
  std::uint64_t begin_free(const void* pointer);
  void finish_free(void* pointer);

  // Memory of the caller.
  void add(const void* pointer, std::uint64_t bytes);
  void remove(const void* pointer);

  // Returns true if all of [pointer, pointer + bytes) lies in one pinned range.
  [[nodiscard]] bool covers(const void* pointer, std::uint64_t bytes) const;

 private:
  struct Range {
    std::uint64_t bytes;
    bool owned;
  };
  void insert(std::uintptr_t first, Range range);
  Range take(std::uintptr_t first, bool owned);

  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;  // by address
};

}  // namespace loci::sim
