#include "framework/memory/heap.h"

#include <memory>

namespace loci::memory {
namespace {

FreeLists& list_of(const Block& block) { return block.pool->free_of(block.kind); }

// Takes the block behind `block` into it.
void absorb_next(Block* block) noexcept {
  const std::unique_ptr<Block> next(block->next);
  block->bytes += next->bytes;
  block->next = next->next;
  if (block->next != nullptr) block->next->previous = block;
}

bool is_free_in(const Block* block, const StreamPool* pool) {
  return block != nullptr && block->is_free() && block->pool == pool;
}

bool is_wholly_free(const Segment& segment) {
  for (const Block* block = segment.first; block != nullptr; block = block->next) {
    if (!block->is_free()) return false;
  }
  return true;
}

}  // namespace

Heap::~Heap() { take_all_segments(); }

Block* Heap::add_segment(void* data, std::uint64_t bytes, SegmentKind kind, StreamPool& pool) {
  auto block = std::make_unique<Block>();
  block->data = static_cast<char*>(data);
  block->bytes = bytes;
  block->kind = kind;
  block->pool = &pool;
  segments_.push_back({block.get(), bytes});
  list_of(*block).insert(block.get());
  return block.release();
}

void Heap::take(Block* block, std::uint64_t bytes, std::uint64_t granule, StreamPool& pool) {
  auto rest = block->bytes - bytes >= granule ? std::make_unique<Block>() : nullptr;
  list_of(*block).erase(block);
  if (rest != nullptr) {
    rest->data = block->data + bytes;
    rest->bytes = block->bytes - bytes;
    rest->kind = block->kind;
    rest->pool = block->pool;
    rest->previous = block;
    rest->next = block->next;
    if (rest->next != nullptr) rest->next->previous = rest.get();
    block->next = rest.get();
    block->bytes = bytes;
    list_of(*rest).insert(rest.get());
    rest.release();
  }
  block->pool = &pool;
}

void Heap::give(Block* block) noexcept {
  StreamPool* pool = block->pool;
  block->name = nullptr;
  block->backs_slab = false;
  if (is_free_in(block->next, pool)) {
    list_of(*block->next).erase(block->next);
    absorb_next(block);
  }
  if (is_free_in(block->previous, pool)) {
    block = block->previous;
    list_of(*block).erase(block);
    absorb_next(block);
  }
  list_of(*block).insert(block);
}

std::vector<Heap::Memory> Heap::take_free_segments(
    const std::function<bool(const Memory&)>& may_go) {
  std::vector<Memory> memory;
  std::vector<Segment> kept;
  memory.reserve(segments_.size());
  kept.reserve(segments_.size());
  for (const Segment& segment : segments_) {
    if (is_wholly_free(segment) && may_go({segment.first->data, segment.bytes})) {
      memory.push_back(dissolve(segment));
    } else {
      kept.push_back(segment);
    }
  }
  segments_ = std::move(kept);
  return memory;
}

std::vector<Heap::Memory> Heap::take_all_segments() {
  std::vector<Memory> memory;
  memory.reserve(segments_.size());
  for (const Segment& segment : segments_) memory.push_back(dissolve(segment));
  segments_.clear();
  return memory;
}

Heap::Memory Heap::dissolve(const Segment& segment) noexcept {
  const Memory memory{segment.first->data, segment.bytes};
  for (Block* block = segment.first; block != nullptr;) {
    const std::unique_ptr<Block> owned(block);
    block = block->next;
    if (owned->is_free()) list_of(*owned).erase(owned.get());
  }
  return memory;
}

void Heap::for_each_live(const std::function<void(const Block&)>& visit) const {
  for (const Segment& segment : segments_) {
    for (const Block* block = segment.first; block != nullptr; block = block->next) {
      if (block->name != nullptr) visit(*block);
    }
  }
}

}  // namespace loci::memory
