// Which host memory devices copy from and to without staging.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>

namespace loci::cuda {

// The memory that this plugin pinned, for all of its devices: it is pinned for each of them. Any
// thread may call.
class PinnedRanges {
 public:
  void add(const void* first, std::uint64_t bytes);
  void remove(const void* first);
  // Returns true if all of it is pinned, by one call.
  [[nodiscard]] bool contains(const void* first, std::uint64_t bytes) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, std::uint64_t> bytes_;  // by first address
};

}  // namespace loci::cuda
