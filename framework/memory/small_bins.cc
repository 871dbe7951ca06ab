#include "framework/memory/small_bins.h"

#include <algorithm>
#include <mutex>

namespace loci::memory {

std::uint64_t SmallBins::slab_bytes(std::size_t size_class) {
  constexpr std::uint64_t kLeast = 64 * 1024;
  return std::max(kLeast, 16 * size_of_class(size_class));
}

Block* SmallBins::take(std::size_t size_class, const char* name) noexcept {
  Bin& bin = bins_[size_class];
  const std::lock_guard lock(bin.lock);
  Block* block = bin.free;
  if (block == nullptr) return nullptr;
  bin.free = block->next;
  block->name = name;
  ++block->slab->live;
  ++bin.taken;
  return block;
}

void SmallBins::give(Block* block) noexcept {
  Bin& bin = bins_[block->slab->size_class];
  const std::lock_guard lock(bin.lock);
  block->name = nullptr;
  block->next = bin.free;
  bin.free = block;
  --block->slab->live;
}

void SmallBins::add_slab(std::size_t size_class, Block* backing) {
  auto slab = std::make_unique<Slab>();
  const std::uint64_t bytes = size_of_class(size_class);
  slab->backing = backing;
  slab->size_class = size_class;
  slab->count = static_cast<std::size_t>(backing->bytes / bytes);
  slab->blocks = std::make_unique<Block[]>(slab->count);
  // Chained from the lowest address up, so that a new slab is touched in order.
  for (std::size_t i = 0; i < slab->count; ++i) {
    Block& block = slab->blocks[i];
    block.data = backing->data + i * bytes;
    block.bytes = bytes;
    block.pool = backing->pool;
    block.slab = slab.get();
    block.next = i + 1 < slab->count ? &slab->blocks[i + 1] : nullptr;
  }
  Bin& bin = bins_[size_class];
  const std::lock_guard lock(bin.lock);
  const Slab& added = *bin.slabs.emplace_back(std::move(slab));
  added.blocks[added.count - 1].next = bin.free;
  bin.free = &added.blocks[0];
}

std::vector<Block*> SmallBins::take_empty_slabs() {
  std::vector<Block*> backing;
  for (Bin& bin : bins_) {
    const std::lock_guard lock(bin.lock);
    Block** link = &bin.free;
    while (*link != nullptr) {
      if ((*link)->slab->live == 0) {
        *link = (*link)->next;
      } else {
        link = &(*link)->next;
      }
    }
    const auto is_empty = [](const std::unique_ptr<Slab>& slab) { return slab->live == 0; };
    for (const auto& slab : bin.slabs) {
      if (is_empty(slab)) backing.push_back(slab->backing);
    }
    bin.slabs.erase(std::remove_if(bin.slabs.begin(), bin.slabs.end(), is_empty), bin.slabs.end());
  }
  return backing;
}

void SmallBins::for_each_live(const std::function<void(const Block&)>& visit) const {
  for (const Bin& bin : bins_) {
    const std::lock_guard lock(bin.lock);
    for (const auto& slab : bin.slabs) {
      for (std::size_t i = 0; i < slab->count; ++i) {
        if (slab->blocks[i].name != nullptr) visit(slab->blocks[i]);
      }
    }
  }
}

std::uint64_t SmallBins::taken() const {
  std::uint64_t sum = 0;
  for (const Bin& bin : bins_) {
    const std::lock_guard lock(bin.lock);
    sum += bin.taken;
  }
  return sum;
}

}  // namespace loci::memory
