// The allocator over any source of memory.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/memory/allocator.h"
#include "framework/memory/heap.h"
#include "framework/memory/memory_source.h"
#include "framework/memory/size_class.h"
#include "framework/memory/usage_counter.h"

namespace loci::memory {

// Small blocks (up to 32 KiB) come from the bins of their stream, the others from the heap, which
// grows by segments of 2 MiB or more, or of less at first where they are kept. Buffers end before
// it does.
class CachingAllocator final : public Allocator {
 public:
  // Segments without a live block go back to the source where memory is short, or stay until the
  // end: then somebody still uses addresses of blocks that have been given back.
  enum class Segments : std::uint8_t { kGivenBack, kKept };

  // The limit of cached host memory, which programs share: before a segment is added, free ones are
  // given back where they are more than this and more than what is in use. A device's memory is its
  // user's alone, and to give it back makes it wait.
  static constexpr std::uint64_t kMostCachedOfHost = std::uint64_t{64} << 20;

  // The first segment of those that are kept, unless more is asked for.
  static constexpr std::uint64_t kFirstKept = std::uint64_t{16} << 10;

  // Without a stream, allocations are for `default_stream`.
  explicit CachingAllocator(std::unique_ptr<MemorySource> source,
                            loci_stream* default_stream = nullptr,
                            Segments segments = Segments::kGivenBack);
  ~CachingAllocator() override;
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  Buffer allocate(std::uint64_t bytes, loci_stream* stream, const char* name) override;
  void empty_cache() override;
  // Gives back kept segments that have no live block and that `may_go`, after waiting for the
  // device.
  using MayGo = std::function<bool(const Heap::Memory&)>;
  void give_back(const MayGo& may_go);
  [[nodiscard]] Stats stats() const override;
  [[nodiscard]] std::uint64_t available() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> largest(
      std::size_t count) const override;

  // The source's device is lost, and nothing runs there: free segments go back, and from now on
  // each one does as soon as it has no live block.
  void lose_source() noexcept;
  // All work of the stream has ended: its memory may be used by any other.
  void end_stream(loci_stream* stream) noexcept;

 private:
  struct Request {
    std::uint64_t bytes;
    const char* name;
    std::size_t shard;  // of the calling thread
  };

  void deallocate(Block* block, std::uint64_t bytes) noexcept override;
  void give(Block* block) noexcept;
  void release_lost() noexcept;

  Block* allocate_small(StreamPool& pool, std::size_t size_class, const Request& request);
  // A block of `bytes`, live under the request's name, or without one for a slab.
  Block* allocate_large(StreamPool& pool, std::uint64_t bytes, bool backs_slab,
                        const Request& request);
  // These expect the mutex to be held.
  [[nodiscard]] bool caches_too_much() const;
  [[nodiscard]] std::uint64_t wanted_segment(std::uint64_t bytes) const;
  Block* find(StreamPool& pool, std::uint64_t bytes, SegmentKind kind);
  Block* grow(StreamPool& pool, std::uint64_t bytes, SegmentKind kind, std::string* cause);
  Block* add_segment(StreamPool& pool, std::uint64_t bytes, SegmentKind kind);
  void trim(const MayGo& may_go);
  void release_free_segments(const MayGo& may_go);
  void release(const std::vector<Heap::Memory>& segments) noexcept;

  StreamPool& pool_of(loci_stream* stream);

  std::unique_ptr<MemorySource> source_;
  loci_stream* default_stream_;
  const Segments segments_;
  const bool poisons_;     // free blocks are nobody's, and the host can tell
  const char* place_;      // interned
  std::uint64_t granule_;  // of large blocks
  std::array<std::uint8_t, kSizeClasses> class_table_;  // the next class that keeps the alignment

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<StreamPool>> pools_;
  Heap heap_;
  std::uint64_t large_allocations_ = 0;
  std::uint64_t backend_allocations_ = 0;

  std::atomic<StreamPool*> recent_pool_{nullptr};
  std::atomic<bool> source_is_lost_{false};
  std::atomic<std::uint64_t> held_{0};
  UsageCounter usage_;
};

}  // namespace loci::memory
