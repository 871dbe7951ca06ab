#include "framework/execution/core_walk.h"

#include <chrono>
#include <thread>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/spin.h"
#include "framework/core/thread_team.h"

namespace loci::execution {
namespace {

// A segment that runs ends soon, unless the processor was taken from its thread.
constexpr std::chrono::microseconds kSpinForOthers{100};
// Then its thread comes back in milliseconds. Who ends a segment looks after nobody: that would
// cost every segment more than such a wait does a few of them.
constexpr std::chrono::microseconds kNap{50};

constexpr bool is_running(std::uint32_t state) { return (state & 1) != 0; }
constexpr std::uint32_t ended(std::uint32_t state) { return state / 2; }

}  // namespace

CoreWalk::CoreWalk(const CoreForks& forks)
    : forks_(forks), tracks_(std::make_unique<Track[]>(forks.tracks)) {}

CoreWalk::~CoreWalk() {
  if (failure_.error != nullptr) (void)core::take_error(failure_.error);
}

void CoreWalk::run(const CoreRegion& region, Segments& segments) noexcept {
  region_ = &region;
  segments_ = &segments;
  const auto tracks = static_cast<std::int64_t>(region.tracks.size());
  // The team has it from here on by the loop that it joins.
  for (std::int64_t i = 0; i < tracks; ++i) {
    tracks_[static_cast<std::size_t>(i)].state.store(0, std::memory_order_relaxed);
  }
  core::parallel_for(0, tracks, 1, &CoreWalk::walk, this);
}

void CoreWalk::walk(void* self, std::int64_t first, std::int64_t last, std::uint32_t /*worker*/) {
  for (std::int64_t track = first; track < last; ++track) {
    static_cast<CoreWalk*>(self)->walk(static_cast<std::uint32_t>(track));
  }
}

void CoreWalk::walk(std::uint32_t track) noexcept {
  const std::vector<CoreSegment>& own = region_->tracks[track];
  while (true) {
    const std::uint32_t state = tracks_[track].state.load(std::memory_order_acquire);
    if (ended(state) == own.size()) return;
    if (is_running(state)) {
      // Somebody has taken it over, and is within the loop until it has ended.
      if (ended(state) + 1 == own.size()) return;
      await_change(track, state);
    } else if (const CoreNeed* need = missing(own[ended(state)])) {
      obtain(*need);
    } else {
      try_run(track, state);
    }
  }
}

// A need that has not ended; null if there is none.
const CoreNeed* CoreWalk::missing(const CoreSegment& segment) const noexcept {
  for (std::uint32_t i = segment.first_need; i < segment.last_need; ++i) {
    const CoreNeed& need = forks_.needs[i];
    const std::uint32_t state = tracks_[need.track].state.load(std::memory_order_acquire);
    if (ended(state) < need.segments) return &need;
  }
  return nullptr;
}

// Brings it nearer.
void CoreWalk::obtain(const CoreNeed& need) noexcept {
  const std::uint32_t state = tracks_[need.track].state.load(std::memory_order_acquire);
  if (ended(state) >= need.segments) return;
  if (is_running(state)) return await_change(need.track, state);
  run_earliest();
}

// Runs the first one of the segments that nobody has begun, in the order of instructions. All that
// it needs comes before it, and so has begun.
bool CoreWalk::run_earliest() noexcept {
  std::uint32_t earliest = kNone;
  std::uint32_t track = 0;
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < region_->tracks.size(); ++i) {
    const std::uint32_t state = tracks_[i].state.load(std::memory_order_acquire);
    if (is_running(state) || ended(state) == region_->tracks[i].size()) continue;
    const std::uint32_t first = forks_.order[region_->tracks[i][ended(state)].first];
    if (first >= earliest) continue;
    earliest = first;
    track = i;
    seen = state;
  }
  if (earliest == kNone) return false;
  if (const CoreNeed* need = missing(region_->tracks[track][ended(seen)])) {
    const std::uint32_t state = tracks_[need->track].state.load(std::memory_order_acquire);
    if (is_running(state) && ended(state) < need->segments) await_change(need->track, state);
    return false;
  }
  return try_run(track, seen);
}

// False if another thread was first.
bool CoreWalk::try_run(std::uint32_t track, std::uint32_t seen) noexcept {
  std::atomic<std::uint32_t>& state = tracks_[track].state;
  if (!state.compare_exchange_strong(seen, seen + 1, std::memory_order_acquire)) return false;
  segments_->run(region_->tracks[track][ended(seen)], *this);
  state.store(seen + 2, std::memory_order_release);
  return true;
}

void CoreWalk::await_change(std::uint32_t track, std::uint32_t seen) const noexcept {
  const std::atomic<std::uint32_t>& state = tracks_[track].state;
  const auto has_changed = [&] { return state.load(std::memory_order_acquire) != seen; };
  if (core::spin_until(kSpinForOthers, has_changed)) return;
  while (!has_changed()) std::this_thread::sleep_for(kNap);
}

void CoreWalk::fail(std::uint32_t instruction, loci_error* error) noexcept {
  const auto is_mine = [this] { return !failing_.test_and_set(std::memory_order_acquire); };
  while (!core::spin_until(kSpinForOthers, is_mine)) {
  }
  if (instruction < failure_.instruction) {
    std::swap(failure_.error, error);
    failure_.instruction = instruction;
    failed_.store(instruction, std::memory_order_relaxed);
  }
  failing_.clear(std::memory_order_release);
  if (error != nullptr) (void)core::take_error(error);
}

CoreWalk::Failure CoreWalk::take_failure() noexcept {
  failed_.store(kNone, std::memory_order_relaxed);
  return std::exchange(failure_, {});
}

}  // namespace loci::execution
