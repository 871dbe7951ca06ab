#include "framework/profiler/stat_set.h"

#include <algorithm>
#include <utility>

namespace loci::profiler {

void StatTotals::add(std::uint64_t ns) noexcept {
  total_ns += ns;
  max_ns = std::max(max_ns, ns);
  min_ns = std::min(min_ns, ns);
  ++count;
}

void StatTotals::merge(const StatTotals& other) noexcept {
  total_ns += other.total_ns;
  max_ns = std::max(max_ns, other.max_ns);
  min_ns = std::min(min_ns, other.min_ns);
  count += other.count;
}

StatTotals StatCell::load() const noexcept {
  StatTotals totals;
  totals.total_ns = total_ns_.load(std::memory_order_acquire);
  totals.max_ns = max_ns_.load(std::memory_order_acquire);
  totals.min_ns = min_ns_.load(std::memory_order_acquire);
  totals.count = count_.load(std::memory_order_acquire);
  return totals;
}

// Whoever sees a value that is stored here sees the odd version too, because the store releases it.
void StatCell::add(std::uint64_t ns, std::uint32_t generation) noexcept {
  StatTotals totals;
  if (generation_.load(std::memory_order_relaxed) == generation) totals = load();
  totals.add(ns);
  const std::uint32_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  generation_.store(generation, std::memory_order_release);
  total_ns_.store(totals.total_ns, std::memory_order_release);
  max_ns_.store(totals.max_ns, std::memory_order_release);
  min_ns_.store(totals.min_ns, std::memory_order_release);
  count_.store(totals.count, std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

StatTotals StatCell::read(std::uint32_t generation) const noexcept {
  for (;;) {
    const std::uint32_t before = version_.load(std::memory_order_acquire);
    const std::uint32_t of = generation_.load(std::memory_order_acquire);
    const StatTotals totals = load();
    if (before % 2 != 0 || version_.load(std::memory_order_relaxed) != before) continue;
    return of == generation ? totals : StatTotals();
  }
}

// Hands the totals of a thread over when it ends.
struct StatSet::Owner {
  static constexpr auto kThreadSlot = core::ThreadSlot::kStats;
  ~Owner() {
    if (thread != nullptr) StatSet::instance().end(thread);
  }
  OfThread* thread = nullptr;
};

StatCell& StatSet::cell(StatId id) {
  OfThread* thread = core::in_thread<Owner>().thread;
  if (thread == nullptr) [[unlikely]]
    thread = &of_this_thread();
  if (id >= thread->cells.size() || thread->cells[id] == nullptr) [[unlikely]]
    return grow(*thread, id);
  return *thread->cells[id];
}

// After its owner's end, what a thread's other destructors add stays with the threads that live.
StatSet::OfThread& StatSet::of_this_thread() {
  auto& owner = core::in_thread<Owner>();
  const std::lock_guard lock(mutex_);
  owner.thread = threads_.emplace_back(std::make_unique<OfThread>()).get();
  return *owner.thread;
}

StatCell& StatSet::grow(OfThread& thread, StatId id) {
  const std::lock_guard lock(mutex_);
  if (id >= thread.cells.size()) thread.cells.resize(id + 1);
  thread.cells[id] = std::make_unique<StatCell>();
  return *thread.cells[id];
}

void StatSet::end(OfThread* thread) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  ended_.resize(std::max(ended_.size(), thread->cells.size()));
  for (std::size_t i = 0; i < thread->cells.size(); ++i) {
    if (thread->cells[i] != nullptr) ended_[i].merge(thread->cells[i]->read(generation));
  }
  std::erase_if(threads_, [thread](const auto& one) { return one.get() == thread; });
}

std::map<std::string, StatTotals> StatSet::totals() const {
  const std::lock_guard lock(mutex_);
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  std::vector<StatTotals> sums = ended_;
  for (const auto& thread : threads_) {
    sums.resize(std::max(sums.size(), thread->cells.size()));
    for (std::size_t i = 0; i < thread->cells.size(); ++i) {
      if (thread->cells[i] != nullptr) sums[i].merge(thread->cells[i]->read(generation));
    }
  }
  std::map<std::string, StatTotals> totals;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].count > 0) totals.emplace(stat_name(static_cast<StatId>(i)), sums[i]);
  }
  return totals;
}

void StatSet::reset() {
  const std::lock_guard lock(mutex_);
  generation_.fetch_add(1, std::memory_order_relaxed);
  ended_.clear();
}

}  // namespace loci::profiler
