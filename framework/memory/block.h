// The record that an allocator has of a block. It lies outside of the memory, which may be a
// device's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/memory/node_pool.h"

namespace loci::memory {

struct StreamPool;
struct Slab;

// Requests up to 1 MiB do not break up the segments that larger ones want back whole.
enum class SegmentKind : std::uint8_t { kShared, kLarge };

struct Block {
  char* data = nullptr;
  std::uint64_t bytes = 0;
  const char* name = nullptr;      // of a live block, else NULL
  StreamPool* pool = nullptr;      // whose stream orders its reuse
  Slab* slab = nullptr;            // of a small block
  Block* previous = nullptr;       // neighbours in the segment
  Block* next = nullptr;           // of a free small block: the next one of its bin
  Block* free_previous = nullptr;  // of a free large block: neighbours in its list
  Block* free_next = nullptr;
  bool backs_slab = false;
  SegmentKind kind = SegmentKind::kShared;  // of the segment that a large block lies in

  // Large blocks are split and joined all the time.
  static void* operator new(std::size_t) { return PooledAllocator<Block>().allocate(1); }
  static void operator delete(void* block) noexcept {
    PooledAllocator<Block>().deallocate(static_cast<Block*>(block), 1);
  }

  [[nodiscard]] bool is_free() const { return name == nullptr && !backs_slab; }
};

}  // namespace loci::memory
