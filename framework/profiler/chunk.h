// Records, and the chunks of memory that hold them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// A scope leaves a record when it ends. That of an allocation or release has the moment, the
// address, the bytes and a label whose name and place are those of the memory.
struct Record {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t correlation;
  LabelId label;
  std::uint16_t depth;
  std::uint16_t flags;
};
static_assert(sizeof(Record) == 32);

// Flags of a Record, beside LOCI_SPAN_*.
inline constexpr std::uint16_t kAllocationRecord = 1 << 14;
inline constexpr std::uint16_t kReleaseRecord = 1 << 15;

inline constexpr std::size_t kChunkBytes = 64 * 1024;

// Written by one thread, which publishes the count after each record, and read by others.
struct Chunk {
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint32_t> epoch{0};  // of the records in it
  std::uint64_t reserved[3] = {};
  static constexpr std::uint32_t kRecords = kChunkBytes / sizeof(Record) - 1;
  std::array<Record, kRecords> records;
};
static_assert(sizeof(Chunk) == kChunkBytes);

// Chunks to be used, up to a limit. Thread-safe.
class ChunkPool {
 public:
  // Chunks that are in use now count towards the limit too.
  void set_limit(std::size_t chunks);
  // Null once the limit is reached. Its pages may be new: see prefault().
  std::unique_ptr<Chunk> take();
  void give(std::unique_ptr<Chunk> chunk);
  // Makes sure that a few chunks are ready whose pages are there.
  void prefault(std::size_t ready);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Chunk>> free_;
  std::size_t made_ = 0;
  std::size_t limit_ = 0;
};

}  // namespace loci::profiler
