// Small blocks of one stream: free lists for each size class, filled from slabs.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "framework/core/thread_shard.h"
#include "framework/memory/block.h"
#include "framework/memory/size_class.h"
#include "framework/memory/spin_lock.h"

namespace loci::memory {

struct SmallBin;

// A large block cut into small ones of one size.
struct Slab {
  Block* backing = nullptr;
  SmallBin* bin = nullptr;
  std::size_t live = 0;
  std::size_t count = 0;
  std::unique_ptr<Block[]> blocks;
};

// The blocks of a class that some threads share. Two lines of the cache: processors fetch them in
// pairs.
struct alignas(128) SmallBin {
  mutable SpinLock lock;
  std::atomic<bool> has_slabs{false};
  Block* free = nullptr;
  std::uint64_t taken = 0;
  std::vector<std::unique_ptr<Slab>> slabs;
};

// Thread-safe. Of each class up to kMostSharded bytes a thread has a bin of its own, which it
// shares with one in core::kShards at most, so that threads that make and end small tensors do not
// meet; a block goes back to the bin that it came from, whoever gives it. Bins are made for the
// threads that come: most streams, and most graphs, have one.
class SmallBins {
 public:
  static constexpr std::uint64_t kMostSharded = 4096;

  SmallBins() = default;
  ~SmallBins();
  SmallBins(const SmallBins&) = delete;
  SmallBins& operator=(const SmallBins&) = delete;

  // Bytes of the large block that a slab of that class wants.
  static std::uint64_t slab_bytes(std::size_t size_class);

  // Likewise for an owner who may have few blocks: a page at first, then as much as the thread's
  // own bin has, up to that.
  [[nodiscard]] std::uint64_t growing_slab_bytes(std::size_t size_class) noexcept;

  // A block that is live under `name`: of the thread's own bin, or of another one where that has
  // slabs and nothing left. NULL if a slab is to be added. `shard` is the calling thread's.
  Block* take(std::size_t size_class, const char* name,
              std::size_t shard = core::thread_shard()) noexcept;
  // Takes a block of whichever bin of the class; NULL if there is none.
  Block* take_anywhere(std::size_t size_class, const char* name) noexcept;
  void give(Block* block) noexcept;
  // Cuts `backing` up, for the thread's own bin.
  void add_slab(std::size_t size_class, Block* backing);
  // Forgets the slabs without a live block, and gives their large blocks.
  std::vector<Block*> take_empty_slabs();

  void for_each_live(const std::function<void(const Block&)>& visit) const;
  // Calls of take() that gave a block.
  [[nodiscard]] std::uint64_t taken() const;

 private:
  static constexpr std::size_t kShardedClasses = size_class_of(kMostSharded) + 1;
  using Shard = std::array<SmallBin, kShardedClasses>;

  // Null where the shard has none yet.
  [[nodiscard]] SmallBin* find_bin(std::size_t size_class, std::size_t shard) noexcept;
  SmallBin& own_bin(std::size_t size_class);
  static Block* take_from(SmallBin& bin, const char* name) noexcept;
  template <class Visit>
  void for_each_bin(const Visit& visit) const;

  std::array<std::atomic<Shard*>, core::kShards> shards_{};
  mutable std::array<SmallBin, kSizeClasses - kShardedClasses> larger_;  // of all threads
};

}  // namespace loci::memory
