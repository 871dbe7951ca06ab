#include "framework/profiler/thread_log.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "framework/profiler/clock.h"
#include "framework/profiler/enabled.h"

namespace loci::profiler {
namespace {

std::string name_of_this_thread() {
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) return {};
  return name.data();
}

void copy_records(const Chunk& chunk, std::vector<Record>& records) {
  const std::uint32_t count = chunk.count.load(std::memory_order_acquire);
  records.insert(records.end(), chunk.records.begin(), chunk.records.begin() + count);
}

}  // namespace

ThreadLog::ThreadLog(ChunkPool& pool, const std::atomic<bool>& recycles)
    : pool_(pool),
      recycles_(recycles),
      os_id_(static_cast<std::uint64_t>(syscall(SYS_gettid))),
      name_(name_of_this_thread()) {}

ThreadLog::~ThreadLog() {
  for (std::unique_ptr<Chunk>& chunk : full_) pool_.give(std::move(chunk));
  pool_.give(std::move(current_));
}

void ThreadLog::enter(std::uint32_t epoch) noexcept {
  // Whoever took the last epoch's records has done so before this one began: see Collector.
  enabled_word(std::memory_order_acquire);
  const std::lock_guard lock(mutex_);
  if (current_ != nullptr) {
    current_->count.store(0, std::memory_order_relaxed);
    current_->epoch.store(epoch, std::memory_order_relaxed);
  }
  dropped_scopes_.store(0, std::memory_order_relaxed);
  dropped_others_.store(0, std::memory_order_relaxed);
  epoch_.store(epoch, std::memory_order_release);
}

void ThreadLog::open(std::uint32_t epoch, LabelId label, std::uint64_t correlation) noexcept {
  if (epoch_.load(std::memory_order_relaxed) != epoch) [[unlikely]]
    enter(epoch);
  const std::uint32_t depth = depth_.load(std::memory_order_relaxed);
  if (depth < kMostDepth) [[likely]] {
    Open& scope = open_[depth];
    scope.label.store(label, std::memory_order_relaxed);
    scope.correlation.store(correlation, std::memory_order_relaxed);
    scope.begin.store(ticks(), std::memory_order_relaxed);
  }
  depth_.store(depth + 1, std::memory_order_release);
}

void ThreadLog::relabel(LabelId label, std::uint64_t correlation) noexcept {
  const std::uint32_t depth = depth_.load(std::memory_order_relaxed);
  if (depth == 0 || depth > kMostDepth) return;
  Open& scope = open_[depth - 1];
  scope.label.store(label, std::memory_order_relaxed);
  scope.correlation.store(correlation, std::memory_order_relaxed);
}

void ThreadLog::close(std::uint64_t end, std::uint16_t flags, bool keep) noexcept {
  const std::uint32_t depth = depth_.load(std::memory_order_relaxed) - 1;
  depth_.store(depth, std::memory_order_release);
  if (!keep) return;
  if (depth >= kMostDepth) {
    dropped_scopes_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const Open& scope = open_[depth];
  append({scope.begin.load(std::memory_order_relaxed), end,
          scope.correlation.load(std::memory_order_relaxed),
          scope.label.load(std::memory_order_relaxed), static_cast<std::uint16_t>(depth), flags},
         dropped_scopes_);
}

void ThreadLog::write(std::uint32_t epoch, const Record& record) noexcept {
  if (epoch_.load(std::memory_order_relaxed) != epoch) enter(epoch);
  append(record, dropped_others_);
}

void ThreadLog::append(const Record& record, std::atomic<std::uint64_t>& dropped) noexcept {
  Chunk* chunk = current_.get();
  std::uint32_t count =
      chunk == nullptr ? Chunk::kRecords : chunk->count.load(std::memory_order_relaxed);
  if (count == Chunk::kRecords) [[unlikely]] {
    if (!next_chunk()) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    chunk = current_.get();
    count = 0;
  }
  chunk->records[count] = record;
  chunk->count.store(count + 1, std::memory_order_release);
}

bool ThreadLog::next_chunk() noexcept {
  std::unique_ptr<Chunk> next = pool_.take();
  const std::lock_guard lock(mutex_);
  if (next == nullptr && recycles_.load(std::memory_order_relaxed) && !full_.empty()) {
    next = std::move(full_.front());
    full_.pop_front();
    next->count.store(0, std::memory_order_relaxed);
  }
  if (next == nullptr) return false;
  next->epoch.store(epoch_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  try {
    if (current_ != nullptr) full_.push_back(std::move(current_));
  } catch (const std::bad_alloc&) {
    pool_.give(std::move(next));
    return false;
  }
  current_ = std::move(next);
  return true;
}

std::vector<Record> ThreadLog::take(std::uint32_t epoch, std::uint64_t now) {
  std::vector<Record> records;
  const std::lock_guard lock(mutex_);
  for (std::unique_ptr<Chunk>& chunk : full_) {
    if (chunk->epoch.load(std::memory_order_relaxed) == epoch) copy_records(*chunk, records);
    pool_.give(std::move(chunk));
  }
  full_.clear();
  if (epoch_.load(std::memory_order_acquire) != epoch) return records;
  // The current chunk stays with its thread, which may be about to write into it.
  if (current_ != nullptr) copy_records(*current_, records);
  take_open(now, records);
  return records;
}

void ThreadLog::take_open(std::uint64_t now, std::vector<Record>& records) const {
  const std::uint32_t depth = std::min(depth_.load(std::memory_order_acquire), kMostDepth);
  for (std::uint32_t i = 0; i < depth; ++i) {
    const std::uint64_t begin = open_[i].begin.load(std::memory_order_relaxed);
    records.push_back({begin, std::max(begin, now),
                       open_[i].correlation.load(std::memory_order_relaxed),
                       open_[i].label.load(std::memory_order_relaxed),
                       static_cast<std::uint16_t>(i), LOCI_SPAN_TRUNCATED});
  }
}

ThreadLog::Dropped ThreadLog::dropped(std::uint32_t epoch) const noexcept {
  if (epoch_.load(std::memory_order_acquire) != epoch) return {};
  return {dropped_scopes_.load(std::memory_order_relaxed),
          dropped_others_.load(std::memory_order_relaxed)};
}

void ThreadLog::forget_before(std::uint64_t oldest) {
  const std::lock_guard lock(mutex_);
  while (!full_.empty() && full_.front()->records[Chunk::kRecords - 1].end < oldest) {
    pool_.give(std::move(full_.front()));
    full_.pop_front();
  }
}

}  // namespace loci::profiler
