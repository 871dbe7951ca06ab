#include "framework/profiler/chunk.h"

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
  ++made_;
  return std::unique_ptr<Chunk>(new Chunk);  // records stay unwritten, so that no page is touched
}

void ChunkPool::give(std::unique_ptr<Chunk> chunk) {
  if (chunk == nullptr) return;
  chunk->count.store(0, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (made_ > limit_) {
    --made_;
  } else {
    free_.push_back(std::move(chunk));
  }
}

void ChunkPool::prefault(std::size_t ready) {
  constexpr std::size_t kPage = 4096;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() >= ready || made_ >= limit_) return;
      ++made_;
    }
    auto chunk = std::unique_ptr<Chunk>(new Chunk);
    for (std::size_t i = 0; i < Chunk::kRecords; i += kPage / sizeof(Record)) {
      chunk->records[i].flags = 0;
    }
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(chunk));
  }
}

}  // namespace loci::profiler
