// Small blocks of one stream: a free list for each size class, filled from slabs.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "framework/memory/block.h"
#include "framework/memory/size_class.h"
#include "framework/memory/spin_lock.h"

namespace loci::memory {

// A large block cut into small ones of one size.
struct Slab {
  Block* backing = nullptr;
  std::size_t size_class = 0;
  std::size_t live = 0;
  std::size_t count = 0;
  std::unique_ptr<Block[]> blocks;
};

// Thread-safe, with a lock for each class.
class SmallBins {
 public:
  // Bytes of the large block that a slab of that class wants.
  static std::uint64_t slab_bytes(std::size_t size_class);

  // A block that is live under `name`; NULL if the class has none left.
  Block* take(std::size_t size_class, const char* name) noexcept;
  void give(Block* block) noexcept;
  // Cuts `backing` up.
  void add_slab(std::size_t size_class, Block* backing);
  // Forgets the slabs without a live block, and gives their large blocks.
  std::vector<Block*> take_empty_slabs();

  void for_each_live(const std::function<void(const Block&)>& visit) const;
  // Calls of take() that gave a block.
  [[nodiscard]] std::uint64_t taken() const;

 private:
  struct alignas(64) Bin {
    mutable SpinLock lock;
    Block* free = nullptr;
    std::uint64_t taken = 0;
    std::vector<std::unique_ptr<Slab>> slabs;
  };
  std::array<Bin, kSizeClasses> bins_;
};

}  // namespace loci::memory
