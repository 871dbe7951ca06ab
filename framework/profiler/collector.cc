#include "framework/profiler/collector.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/scope.h"

namespace loci::profiler {
namespace {

constexpr std::size_t kReadyChunks = 8;
constexpr std::chrono::milliseconds kKeeperPeriod{50};
constexpr std::uint32_t kEpochs = 1U << (32 - kEpochShift);

// Ends the log with its thread.
struct LogOwner {
  static constexpr auto kThreadSlot = core::ThreadSlot::kLog;
  std::shared_ptr<ThreadLog> log;
  ~LogOwner() {
    if (log != nullptr) log->end();
  }
};

// Null if the thread has none yet in this context.
ThreadLog* current_log() noexcept {
  const auto* owner = core::find_in_thread<LogOwner>();
  return owner == nullptr ? nullptr : owner->log.get();
}

std::uint64_t processor_time_of_this_thread() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint32_t word_of(std::uint32_t epoch, Level level, bool live) {
  return (epoch << kEpochShift) | (live ? kLiveBit : 0) | static_cast<std::uint32_t>(level);
}

std::uint32_t epoch_of(std::uint32_t word) { return word >> kEpochShift; }

// Open scopes of this thread that there was no memory to record, the outermost ones.
thread_local std::uint32_t unlogged_scopes = 0;

// False, and counts a scope, where there is no memory for it; also for those within.
bool make_log(Collector& collector) noexcept {
  if (unlogged_scopes == 0) {
    try {
      (void)collector.log_of_this_thread();
      return true;
    } catch (const std::bad_alloc&) {
      core::log(core::Module::kProfiler, core::Level::kWarn, "no memory to record a thread");
    }
  }
  ++unlogged_scopes;
  return false;
}

}  // namespace

namespace detail {

std::uint32_t context_word(std::memory_order order) noexcept {
  const auto* collector = core::Context::current().find<Collector>();
  return collector == nullptr ? 0 : collector->word(order);
}

void open_scope(std::uint32_t word, LabelId label, std::uint64_t correlation) noexcept {
  Collector& collector = Collector::instance();
  if ((word & kLiveBit) != 0) {
    collector.with_live([label](LiveRanges& live) { live.begin(label); });
  }
  ThreadLog* log = current_log();
  if (log == nullptr || unlogged_scopes > 0) [[unlikely]] {
    if (!make_log(collector)) return;
    log = current_log();
  }
  log->open(epoch_of(word), label, correlation);
}

void relabel_scope(LabelId label, std::uint64_t correlation) noexcept {
  if (unlogged_scopes == 0) current_log()->relabel(label, correlation);
}

void close_scope(std::uint32_t word, std::uint16_t flags, bool keep) noexcept {
  const std::uint64_t end = ticks();
  if (std::uncaught_exceptions() > 0) [[unlikely]]
    flags |= LOCI_SPAN_FAILED;
  if (unlogged_scopes > 0) [[unlikely]] {
    --unlogged_scopes;
  } else {
    current_log()->close(end, flags, keep && epoch_of(enabled_word()) == epoch_of(word));
  }
  if ((word & kLiveBit) != 0) {
    Collector::instance().with_live([](LiveRanges& live) { live.end(); });
  }
}

}  // namespace detail

void record_memory(const char* name, const char* place, const void* address, std::uint64_t bytes,
                   bool is_free) noexcept {
  const std::uint32_t word = enabled_word();
  if ((word & kLevelMask) < static_cast<std::uint32_t>(Level::kDetail)) return;
  try {
    const LabelId label =
        LabelTable::instance().intern({.kind = LOCI_SPAN_KIND_COUNT, .name = name, .place = place});
    ThreadLog& log = Collector::instance().log_of_this_thread();
    log.write(epoch_of(word), {ticks(), reinterpret_cast<std::uintptr_t>(address), bytes, label, 0,
                               is_free ? kReleaseRecord : kAllocationRecord});
  } catch (const std::bad_alloc&) {
    core::log(core::Module::kProfiler, core::Level::kWarn, "no memory to record '{}'", name);
  }
}

ThreadLog& Collector::log_of_this_thread() {
  auto& owner = core::in_thread<LogOwner>();
  if (owner.log != nullptr) return *owner.log;
  const auto log = std::make_shared<ThreadLog>(pool_, recycles_);
  {
    const std::lock_guard lock(logs_mutex_);
    logs_.push_back(log);
  }
  owner.log = log;
  return *log;
}

void Collector::begin(const CollectorOptions& options) {
  options_ = options;
  choose_clock();
  pool_.set_limit(std::max<std::size_t>(options.memory_bytes / kChunkBytes, 1));
  pool_.prefault(kReadyChunks);
  recycles_.store(options.keep_last.count() > 0, std::memory_order_relaxed);
  live_.store(options.live);
  if (scope_cost_ns_ == 0) measure_scope_cost();

  harvest_ = {};
  harvest_.clock.push_back(sample_clock());
  epoch_ = epoch_ % (kEpochs - 1) + 1;
  keeper_ends_ = false;
  keeper_ = std::thread([this, &context = core::Context::current()] { keep(context); });
  harvest_.begin_ticks = ticks();
  // Released, so that a thread which enters this epoch comes after whoever took its last records.
  word_.store(word_of(epoch_, options.level, options.live != nullptr), std::memory_order_release);
  detail::recording_contexts.fetch_add(1, std::memory_order_release);
}

Harvest Collector::end() {
  detail::recording_contexts.fetch_sub(1, std::memory_order_release);
  word_.store(0, std::memory_order_release);
  harvest_.end_ticks = ticks();
  live_.store(nullptr);
  while (live_users_.load() != 0) std::this_thread::yield();
  {
    const std::lock_guard lock(keeper_mutex_);
    keeper_ends_ = true;
  }
  keeper_wakes_.notify_one();
  keeper_.join();
  harvest_.clock.push_back(sample_clock());
  harvest_.threads = take_records(harvest_.end_ticks, &harvest_.dropped);
  std::size_t count = 0;
  for (const ThreadRecords& thread : harvest_.threads) count += thread.records.size();
  harvest_.own_cost_ns = static_cast<std::uint64_t>(scope_cost_ns_ * static_cast<double>(count));
  return std::move(harvest_);
}

std::vector<ThreadRecords> Collector::take_records(std::uint64_t now, ThreadLog::Dropped* dropped) {
  std::vector<ThreadRecords> threads;
  const std::lock_guard lock(logs_mutex_);
  for (const std::shared_ptr<ThreadLog>& log : logs_) {
    const ThreadLog::Dropped lost = log->dropped(epoch_);
    dropped->scopes += lost.scopes;
    dropped->others += lost.others;
    ThreadRecords thread{log->os_id(), log->name(), log->take(epoch_, now)};
    if (!thread.records.empty()) threads.push_back(std::move(thread));
  }
  std::erase_if(logs_, [](const std::shared_ptr<ThreadLog>& log) { return log->ended(); });
  return threads;
}

void Collector::keep(core::Context& context) {
  const core::ContextSwitch inside(context);
  pthread_setname_np(pthread_self(), "loci-profiler");
  auto next_sample = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::unique_lock lock(keeper_mutex_);
  while (!keeper_wakes_.wait_for(lock, kKeeperPeriod, [this] { return keeper_ends_; })) {
    pool_.prefault(kReadyChunks);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_sample) continue;
    next_sample = now + std::chrono::seconds(1);
    try {
      harvest_.clock.push_back(sample_clock());
    } catch (const std::bad_alloc&) {
      continue;  // the others do
    }
    if (options_.keep_last.count() == 0) continue;
    // In ticks of the rate so far.
    const ClockSample& first = harvest_.clock.front();
    const ClockSample& last = harvest_.clock.back();
    const double rate = static_cast<double>(last.ticks - first.ticks) /
                        static_cast<double>(std::max<std::uint64_t>(last.ns - first.ns, 1));
    const auto window =
        static_cast<std::uint64_t>(static_cast<double>(options_.keep_last.count()) * rate);
    if (last.ticks - harvest_.begin_ticks <= window) continue;
    const std::lock_guard logs_lock(logs_mutex_);
    for (const std::shared_ptr<ThreadLog>& log : logs_) log->forget_before(last.ticks - window);
  }
  harvest_.keeper_cost_ns = processor_time_of_this_thread();
}

// With a log of its own, so that nothing of it shows.
void Collector::measure_scope_cost() {
  constexpr int kScopes = 1000;
  ThreadLog log(pool_, recycles_);
  const std::uint64_t start = monotonic_ns();
  for (int i = 0; i < kScopes; ++i) {
    log.open(UINT32_MAX, 0, 0);
    log.close(ticks(), 0, /*keep=*/true);
  }
  scope_cost_ns_ = static_cast<double>(monotonic_ns() - start) / kScopes;
  log.take(0, 0);
}

}  // namespace loci::profiler
