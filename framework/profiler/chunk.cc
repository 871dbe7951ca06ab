#include "framework/profiler/chunk.h"

#include <new>
#include <utility>

namespace loci::profiler {

void ChunkPool::set_limit(std::size_t chunks) {
  const std::lock_guard lock(mutex_);
  limit_ = chunks;
  while (!free_.empty() && made_ > limit_) {
    free_.pop_back();
    --made_;
  }
}

std::unique_ptr<Chunk> ChunkPool::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::unique_ptr<Chunk> chunk = std::move(free_.back());
    free_.pop_back();
    return chunk;
  }
  if (made_ >= limit_) return nullptr;
  // Records stay unwritten, so that no page is touched.
  std::unique_ptr<Chunk> made(new (std::nothrow) Chunk);
  if (made != nullptr) ++made_;
  return made;
}

void ChunkPool::give(std::unique_ptr<Chunk> chunk) {
  if (chunk == nullptr) return;
  chunk->count.store(0, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  try {
    if (made_ <= limit_) return free_.push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    // It ends, as one too many does.
  }
  --made_;
}

void ChunkPool::prefault(std::size_t ready) {
  constexpr std::size_t kPage = 4096;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() >= ready || made_ >= limit_) return;
    }
    std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk);
    if (chunk == nullptr) return;  // a thread that needs one tries again, or counts what it drops
    for (std::size_t i = 0; i < Chunk::kRecords; i += kPage / sizeof(Record)) {
      chunk->records[i].flags = 0;
    }
    {
      const std::lock_guard lock(mutex_);
      ++made_;
    }
    give(std::move(chunk));
  }
}

}  // namespace loci::profiler
