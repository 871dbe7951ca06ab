// Large blocks: segments that are split and put together again.
#pragma once

#include <loci/abi/base.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "framework/memory/block.h"
#include "framework/memory/free_lists.h"
#include "framework/memory/small_bins.h"

namespace loci::memory {

// Blocks whose reuse one stream orders.
struct StreamPool {
  explicit StreamPool(loci_stream* of) : stream(of) {}

  // No stream's handle once the stream has ended.
  std::atomic<loci_stream*> stream;
  bool ended = false;             // its free blocks may be used by any stream
  std::array<FreeLists, 2> free;  // large blocks, by SegmentKind
  SmallBins small;

  FreeLists& free_of(SegmentKind kind) { return free[static_cast<std::size_t>(kind)]; }
};

// A piece of memory that was taken from the source at once.
struct Segment {
  Block* first = nullptr;
  std::uint64_t bytes = 0;
};

// Not thread-safe.
class Heap {
 public:
  Heap() = default;
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // A free block of the pool.
  Block* add_segment(void* data, std::uint64_t bytes, SegmentKind kind, StreamPool& pool);
  // Takes a free block out of its pool and makes its first `bytes` a block of `pool`; the rest, if
  // it is `granule` bytes or more, stays where it was. The caller gives it a name.
  void take(Block* block, std::uint64_t bytes, std::uint64_t granule, StreamPool& pool);
  // Makes it free, and one with its free neighbours of the same pool.
  void give(Block* block) noexcept;
  // Forgets the segments without a live block that `may_go`.
  struct Memory {
    void* data;
    std::uint64_t bytes;
  };
  std::vector<Memory> take_free_segments(const std::function<bool(const Memory&)>& may_go =
                                             [](const Memory&) { return true; });
  std::vector<Memory> take_all_segments();

  void for_each_live(const std::function<void(const Block&)>& visit) const;

 private:
  static Memory dissolve(const Segment& segment) noexcept;

  std::vector<Segment> segments_;
};

}  // namespace loci::memory
