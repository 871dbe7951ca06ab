#include "framework/memory/caching_allocator.h"

#include <algorithm>
#include <map>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/memory/asan_poison.h"
#include "framework/memory/intern.h"
#include "framework/memory/out_of_memory.h"
#include "framework/profiler/scope.h"

namespace loci::memory {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
// Beyond any address space; leaves room for rounding up.
constexpr std::uint64_t kMaxRequest = std::uint64_t{1} << 62;

const CachingAllocator::MayGo kAll = [](const Heap::Memory&) { return true; };

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

SegmentKind kind_of(std::uint64_t bytes) {
  return bytes <= kMiB ? SegmentKind::kShared : SegmentKind::kLarge;
}

SegmentKind other_than(SegmentKind kind) {
  return kind == SegmentKind::kShared ? SegmentKind::kLarge : SegmentKind::kShared;
}

// Many blocks share a segment while they are small; a large one gets what it needs.
std::uint64_t segment_bytes(std::uint64_t bytes) {
  if (bytes <= kMiB) return 2 * kMiB;
  if (bytes < 10 * kMiB) return 20 * kMiB;
  return round_up(bytes, 2 * kMiB);
}

// A name in parentheses holds many values, or none, and is no matter for who follows variables.
void log_change(std::string_view what, const Block& block, std::uint64_t bytes) {
  const auto level = block.name[0] == '(' ? core::Level::kTrace : core::Level::kDebug;
  if (!core::log_enabled(core::Module::kMemory, level)) return;
  core::log(core::Module::kMemory, level, "{} '{}' {} bytes at {}", what, block.name, bytes,
            fmt::ptr(block.data));
}

std::array<std::uint8_t, kSizeClasses> aligned_classes(std::uint64_t alignment) {
  std::array<std::uint8_t, kSizeClasses> table{};
  std::size_t next = kSizeClasses;
  for (std::size_t i = kSizeClasses; i-- > 0;) {
    if (size_of_class(i) % alignment == 0) next = i;
    table[i] = static_cast<std::uint8_t>(next);
  }
  return table;
}

}  // namespace

CachingAllocator::CachingAllocator(std::unique_ptr<MemorySource> source,
                                   loci_stream* default_stream, Segments segments)
    : source_(std::move(source)),
      default_stream_(default_stream),
      segments_(segments),
      poisons_(source_->is_host() && segments == Segments::kGivenBack),
      place_(intern(source_->place())),
      granule_(std::max<std::uint64_t>(4096, source_->alignment())),
      class_table_(aligned_classes(source_->alignment())) {}

CachingAllocator::~CachingAllocator() {
  try {
    source_->synchronize();
  } catch (const Error& error) {
    // That a device is lost was told to who used it.
    const bool is_lost = error.code() == ErrorCode::kDeviceLost;
    const auto level = is_lost ? core::Level::kDebug : core::Level::kError;
    core::log(core::Module::kMemory, level, "{}", error.what());
  }
  release(heap_.take_all_segments());
}

Buffer CachingAllocator::allocate(std::uint64_t bytes, loci_stream* stream, const char* name) {
  if (bytes == 0) return {};
  if (name == nullptr) name = "";
  StreamPool& pool = pool_of(stream == nullptr ? default_stream_ : stream);
  const std::size_t shard = core::thread_shard();
  const Request request{bytes, name, shard};
  const std::size_t size_class =
      bytes <= kMaxSmall ? class_table_[size_class_of(bytes)] : kSizeClasses;
  Block* block = size_class < kSizeClasses ? allocate_small(pool, size_class, request)
                                           : allocate_large(pool, bytes, false, request);
  usage_.add(block->bytes, shard);
  if (poisons_) unpoison(block->data, bytes);
  if (core::log_enabled(core::Module::kMemory, core::Level::kDebug)) [[unlikely]] {
    log_change("create", *block, bytes);
  }
  if (profiler::records_at(profiler::Level::kDetail)) [[unlikely]] {
    profiler::record_memory(name, place_, block->data, bytes, /*is_free=*/false);
  }
  return {this, block, block->data, bytes};
}

void CachingAllocator::deallocate(Block* block, std::uint64_t bytes) noexcept {
  if (core::log_enabled(core::Module::kMemory, core::Level::kDebug)) [[unlikely]] {
    log_change("release", *block, bytes);
  }
  if (profiler::records_at(profiler::Level::kDetail)) [[unlikely]] {
    profiler::record_memory(block->name, place_, block->data, bytes, /*is_free=*/true);
  }
  usage_.remove(block->bytes);
  if (poisons_) poison(block->data, block->bytes);
  give(block);
  if (source_is_lost_.load(std::memory_order_relaxed)) [[unlikely]]
    release_lost();
}

void CachingAllocator::give(Block* block) noexcept {
  if (block->slab != nullptr) {
    block->pool->small.give(block);
    return;
  }
  const std::lock_guard lock(mutex_);
  heap_.give(block);
}

void CachingAllocator::lose_source() noexcept {
  source_is_lost_.store(true);
  source_->lose();
  release_lost();
}

void CachingAllocator::release_lost() noexcept {
  if (segments_ == Segments::kKept) return;
  const std::lock_guard lock(mutex_);
  try {
    release_free_segments(kAll);
  } catch (const std::bad_alloc&) {  // the next one that is given back tries again
  }
}

Block* CachingAllocator::allocate_small(StreamPool& pool, std::size_t size_class,
                                        const Request& request) {
  // Another thread may empty a new slab before this one comes to it.
  for (;;) {
    if (Block* block = pool.small.take(size_class, request.name, request.shard)) return block;
    Block* backing = nullptr;
    try {
      const std::uint64_t bytes = segments_ == Segments::kKept
                                      ? pool.small.growing_slab_bytes(size_class)
                                      : SmallBins::slab_bytes(size_class);
      backing = allocate_large(pool, bytes, true, request);
    } catch (const Error&) {
      if (Block* block = pool.small.take_anywhere(size_class, request.name)) return block;
      throw;
    }
    pool.small.add_slab(size_class, backing);
  }
}

Block* CachingAllocator::allocate_large(StreamPool& pool, std::uint64_t bytes, bool backs_slab,
                                        const Request& request) {
  std::string cause;
  if (bytes <= kMaxRequest) {
    const std::uint64_t rounded = round_up(bytes, granule_);
    const SegmentKind kind = kind_of(rounded);
    const std::lock_guard lock(mutex_);
    Block* block = find(pool, rounded, kind);
    if (block == nullptr) block = grow(pool, rounded, kind, &cause);
    if (block == nullptr) block = find(pool, rounded, other_than(kind));
    if (block != nullptr) {
      heap_.take(block, rounded, granule_, pool);
      block->name = backs_slab ? nullptr : request.name;
      block->backs_slab = backs_slab;
      large_allocations_ += backs_slab ? 0 : 1;
      return block;
    }
  }
  raise_out_of_memory(*this, *source_, request.bytes, request.name, cause);
}

Block* CachingAllocator::find(StreamPool& pool, std::uint64_t bytes, SegmentKind kind) {
  if (Block* block = pool.free_of(kind).find(bytes)) return block;
  for (const auto& other : pools_) {
    if (other.get() == &pool) continue;
    Block* block = other->free_of(kind).find(bytes);
    if (block == nullptr) continue;
    if (!other->ended) source_->order(other->stream.load(), pool.stream.load());
    return block;
  }
  return nullptr;
}

Block* CachingAllocator::grow(StreamPool& pool, std::uint64_t bytes, SegmentKind kind,
                              std::string* cause) {
  const std::uint64_t exact = round_up(bytes, source_->chunk());
  const auto attempt = [&](std::uint64_t size) -> Block* {
    try {
      return add_segment(pool, size, kind);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kOutOfMemory) throw;
      *cause = error.what();
      return nullptr;
    }
  };
  if (caches_too_much()) trim(kAll);
  Block* block = attempt(round_up(wanted_segment(bytes), source_->chunk()));
  if (block == nullptr) block = attempt(exact);
  if (block != nullptr) return block;
  if (segments_ == Segments::kGivenBack) {
    trim(kAll);
    // Slabs that were empty are free now, in segments that stay.
    if (Block* free = find(pool, bytes, kind)) return free;
  }
  return attempt(exact);
}

// Kept segments are of one owner, who may need very little, and of whom there may be many: they
// begin small, and grow to those of others.
std::uint64_t CachingAllocator::wanted_segment(std::uint64_t bytes) const {
  const std::uint64_t usual = segment_bytes(bytes);
  if (segments_ == Segments::kGivenBack) return usual;
  const std::uint64_t held = held_.load(std::memory_order_relaxed);
  return std::max(bytes, std::min(usual, std::max(kFirstKept, 3 * held)));
}

// Sizes that are new each time find nothing among what is free, and would leave ever more of it.
bool CachingAllocator::caches_too_much() const {
  if (!source_->is_host() || segments_ == Segments::kKept) return false;
  const std::uint64_t held = held_.load(std::memory_order_relaxed);
  const std::uint64_t in_use = usage_.in_use();
  return held > in_use + std::max(kMostCachedOfHost, in_use);
}

Block* CachingAllocator::add_segment(StreamPool& pool, std::uint64_t bytes, SegmentKind kind) {
  void* data = source_->acquire(bytes, pool.stream.load());
  Block* block = nullptr;
  try {
    block = heap_.add_segment(data, bytes, kind, pool);
  } catch (...) {
    source_->release(data, bytes);
    throw;
  }
  if (poisons_) poison(data, bytes);
  held_.fetch_add(bytes, std::memory_order_relaxed);
  ++backend_allocations_;
  return block;
}

void CachingAllocator::empty_cache() {
  if (segments_ == Segments::kGivenBack) give_back(kAll);
}

void CachingAllocator::give_back(const MayGo& may_go) {
  const std::lock_guard lock(mutex_);
  trim(may_go);
}

void CachingAllocator::trim(const MayGo& may_go) {
  // Segments may hold blocks of several streams, so no single one can order the release.
  source_->synchronize();
  release_free_segments(may_go);
}

void CachingAllocator::release_free_segments(const MayGo& may_go) {
  for (const auto& pool : pools_) {
    for (Block* backing : pool->small.take_empty_slabs()) heap_.give(backing);
  }
  release(heap_.take_free_segments(may_go));
}

void CachingAllocator::release(const std::vector<Heap::Memory>& segments) noexcept {
  for (const Heap::Memory& segment : segments) {
    if (poisons_) unpoison(segment.data, segment.bytes);
    source_->release(segment.data, segment.bytes);
    held_.fetch_sub(segment.bytes, std::memory_order_relaxed);
  }
}

Stats CachingAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  Stats stats;
  stats.in_use = usage_.in_use();
  const std::uint64_t held = held_.load(std::memory_order_relaxed);
  stats.cached = held > stats.in_use ? held - stats.in_use : 0;
  stats.peak_in_use = usage_.peak();
  stats.allocations = large_allocations_;
  for (const auto& pool : pools_) stats.allocations += pool->small.taken();
  stats.backend_allocations = backend_allocations_;
  return stats;
}

std::uint64_t CachingAllocator::available() const { return stats().cached + source_->free_bytes(); }

std::vector<std::pair<std::string, std::uint64_t>> CachingAllocator::largest(
    std::size_t count) const {
  std::map<std::string, std::uint64_t> sums;
  {
    const std::lock_guard lock(mutex_);
    const auto add = [&sums](const Block& block) { sums[block.name] += block.bytes; };
    heap_.for_each_live(add);
    for (const auto& pool : pools_) pool->small.for_each_live(add);
  }
  std::vector<std::pair<std::string, std::uint64_t>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (rows.size() > count) rows.resize(count);
  return rows;
}

StreamPool& CachingAllocator::pool_of(loci_stream* stream) {
  StreamPool* recent = recent_pool_.load(std::memory_order_acquire);
  if (recent != nullptr && recent->stream.load(std::memory_order_relaxed) == stream) return *recent;
  const std::lock_guard lock(mutex_);
  StreamPool* ended = nullptr;
  for (const auto& pool : pools_) {
    if (pool->stream.load() == stream) {
      recent_pool_.store(pool.get(), std::memory_order_release);
      return *pool;
    }
    if (pool->ended) ended = pool.get();
  }
  // Nothing uses the memory of an ended stream any more, so a new one can have it.
  if (ended == nullptr) ended = pools_.emplace_back(std::make_unique<StreamPool>(stream)).get();
  ended->ended = false;
  ended->stream.store(stream);
  recent_pool_.store(ended, std::memory_order_release);
  return *ended;
}

void CachingAllocator::end_stream(loci_stream* stream) noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& pool : pools_) {
    if (pool->ended || pool->stream.load() != stream) continue;
    pool->ended = true;
    pool->stream.store(reinterpret_cast<loci_stream*>(pool.get()));
  }
}

}  // namespace loci::memory
