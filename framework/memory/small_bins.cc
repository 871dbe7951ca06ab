#include "framework/memory/small_bins.h"

#include <algorithm>
#include <mutex>

namespace loci::memory {

std::uint64_t SmallBins::slab_bytes(std::size_t size_class) {
  constexpr std::uint64_t kLeast = std::uint64_t{64} << 10;
  return std::max(kLeast, 16 * size_of_class(size_class));
}

std::uint64_t SmallBins::growing_slab_bytes(std::size_t size_class) noexcept {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t held = 0;
  if (const SmallBin* bin = find_bin(size_class, core::thread_shard())) {
    const std::lock_guard lock(bin->lock);
    for (const std::unique_ptr<Slab>& slab : bin->slabs) held += slab->backing->bytes;
  }
  const std::uint64_t least = std::max(kPage, size_of_class(size_class));
  return std::min(slab_bytes(size_class), std::max(least, held));
}

SmallBins::~SmallBins() {
  for (const std::atomic<Shard*>& shard : shards_) delete shard.load();
}

SmallBin* SmallBins::find_bin(std::size_t size_class, std::size_t shard) noexcept {
  if (size_class >= kShardedClasses) return &larger_[size_class - kShardedClasses];
  Shard* bins = shards_[shard].load(std::memory_order_acquire);
  return bins == nullptr ? nullptr : &(*bins)[size_class];
}

SmallBin& SmallBins::own_bin(std::size_t size_class) {
  const std::size_t shard = core::thread_shard();
  if (SmallBin* known = find_bin(size_class, shard)) return *known;
  auto made = std::make_unique<Shard>();
  Shard* none = nullptr;
  if (shards_[shard].compare_exchange_strong(none, made.get())) (void)made.release();
  return *find_bin(size_class, shard);
}

Block* SmallBins::take_from(SmallBin& bin, const char* name) noexcept {
  const std::lock_guard lock(bin.lock);
  Block* block = bin.free;
  if (block == nullptr) return nullptr;
  bin.free = block->next;
  block->name = name;
  ++block->slab->live;
  ++bin.taken;
  return block;
}

Block* SmallBins::take(std::size_t size_class, const char* name, std::size_t shard) noexcept {
  SmallBin* own = find_bin(size_class, shard);
  // A thread that begins does better with a slab of its own.
  if (own == nullptr) return nullptr;
  if (Block* block = take_from(*own, name)) [[likely]]
    return block;
  return own->has_slabs.load(std::memory_order_relaxed) ? take_anywhere(size_class, name) : nullptr;
}

Block* SmallBins::take_anywhere(std::size_t size_class, const char* name) noexcept {
  for (std::size_t shard = 0; shard < core::kShards; ++shard) {
    SmallBin* bin = find_bin(size_class, shard);
    if (bin == nullptr || !bin->has_slabs.load(std::memory_order_relaxed)) continue;
    if (Block* block = take_from(*bin, name)) return block;
  }
  return nullptr;
}

void SmallBins::give(Block* block) noexcept {
  SmallBin& bin = *block->slab->bin;
  const std::lock_guard lock(bin.lock);
  block->name = nullptr;
  block->next = bin.free;
  bin.free = block;
  --block->slab->live;
}

void SmallBins::add_slab(std::size_t size_class, Block* backing) {
  SmallBin& bin = own_bin(size_class);
  auto slab = std::make_unique<Slab>();
  const std::uint64_t bytes = size_of_class(size_class);
  slab->backing = backing;
  slab->bin = &bin;
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
  const std::lock_guard lock(bin.lock);
  const Slab& added = *bin.slabs.emplace_back(std::move(slab));
  added.blocks[added.count - 1].next = bin.free;
  bin.free = &added.blocks[0];
  bin.has_slabs.store(true, std::memory_order_relaxed);
}

template <class Visit>
void SmallBins::for_each_bin(const Visit& visit) const {
  const auto visit_all = [&](auto& bins) {
    for (auto& bin : bins) {
      const std::lock_guard lock(bin.lock);
      visit(bin);
    }
  };
  for (const std::atomic<Shard*>& shard : shards_) {
    if (Shard* bins = shard.load(std::memory_order_acquire)) visit_all(*bins);
  }
  visit_all(larger_);
}

namespace {

bool is_empty(const std::unique_ptr<Slab>& slab) { return slab->live == 0; }

void unchain_empty(Block** link) {
  while (*link != nullptr) {
    if ((*link)->slab->live == 0) {
      *link = (*link)->next;
    } else {
      link = &(*link)->next;
    }
  }
}

}  // namespace

std::vector<Block*> SmallBins::take_empty_slabs() {
  std::vector<Block*> backing;
  for_each_bin([&](SmallBin& bin) {
    unchain_empty(&bin.free);
    for (const auto& slab : bin.slabs) {
      if (is_empty(slab)) backing.push_back(slab->backing);
    }
    bin.slabs.erase(std::remove_if(bin.slabs.begin(), bin.slabs.end(), is_empty), bin.slabs.end());
    bin.has_slabs.store(!bin.slabs.empty(), std::memory_order_relaxed);
  });
  return backing;
}

void SmallBins::for_each_live(const std::function<void(const Block&)>& visit) const {
  for_each_bin([&](const SmallBin& bin) {
    for (const auto& slab : bin.slabs) {
      for (std::size_t i = 0; i < slab->count; ++i) {
        if (slab->blocks[i].name != nullptr) visit(slab->blocks[i]);
      }
    }
  });
}

std::uint64_t SmallBins::taken() const {
  std::uint64_t sum = 0;
  for_each_bin([&](const SmallBin& bin) { sum += bin.taken; });
  return sum;
}

}  // namespace loci::memory
