#include "framework/core/team_loop.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "framework/core/futex.h"
#include "framework/core/spin.h"

namespace loci::core {
namespace {

// Members that are within a range end it soon, unless the processor was taken from them.
constexpr std::chrono::microseconds kSpinForOthers{100};

constexpr std::uint64_t packed(std::uint32_t begin, std::uint32_t end) {
  return std::uint64_t{begin} << 32 | end;
}
constexpr std::uint32_t begin_of(std::uint64_t left) {
  return static_cast<std::uint32_t>(left >> 32);
}
constexpr std::uint32_t end_of(std::uint64_t left) { return static_cast<std::uint32_t>(left); }

// The ranges of a home are a loop's own secret until the state is opened, and what a range's body
// wrote is told by undone_; so that taking one needs no order.
constexpr auto kUnordered = std::memory_order_relaxed;

std::optional<std::uint32_t> take_first(std::atomic<std::uint64_t>& home) noexcept {
  std::uint64_t left = home.load(kUnordered);
  while (begin_of(left) < end_of(left)) {
    const std::uint32_t first = begin_of(left);
    if (home.compare_exchange_weak(left, packed(first + 1, end_of(left)), kUnordered)) return first;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> take_last(std::atomic<std::uint64_t>& home) noexcept {
  std::uint64_t left = home.load(kUnordered);
  while (begin_of(left) < end_of(left)) {
    const std::uint32_t last = end_of(left) - 1;
    if (home.compare_exchange_weak(left, packed(begin_of(left), last), kUnordered)) return last;
  }
  return std::nullopt;
}

}  // namespace

bool TeamLoop::claim() noexcept {
  // A seat without an open loop: nobody joins, and nobody else claims it.
  std::uint32_t free = 0;
  return state_.load(std::memory_order_relaxed) == 0 &&
         state_.compare_exchange_strong(free, kSeat, std::memory_order_acquire);
}

void TeamLoop::open(const Work& work, std::uint32_t members) noexcept {
  work_ = work;
  members_ = members;
  const std::int64_t items = work.end - work.begin;
  const std::int64_t most = items / std::max<std::int64_t>(work.grain, 1);
  ranges_ = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(most, 1, kRangesEach * static_cast<std::int64_t>(members)));
  for (std::uint32_t member = 0; member < members; ++member) {
    homes_[member].left.store(packed(ranges_ * member / members, ranges_ * (member + 1) / members),
                              kUnordered);
  }
  undone_.store(ranges_, std::memory_order_relaxed);
  state_.store(kOpen | (members - 1) * kSeat, std::memory_order_release);
}

bool TeamLoop::has_seat() const noexcept {
  const std::uint32_t state = state_.load(std::memory_order_relaxed);
  return (state & kOpen) != 0 && (state & kSeats) != 0;
}

template <class GoesOn>
void TeamLoop::work(std::uint32_t member, const GoesOn& goes_on) noexcept {
  std::uint32_t done = 0;
  const auto do_all = [&](const auto& take, std::atomic<std::uint64_t>& home) {
    while (goes_on()) {
      const std::optional<std::uint32_t> range = take(home);
      if (!range) return true;
      do_range(*range, member);
      ++done;
    }
    return false;
  };
  bool is_through = do_all(take_first, homes_[member].left);
  for (std::uint32_t step = 1; is_through && step < members_; ++step) {
    is_through = do_all(take_last, homes_[(member + step) % members_].left);
  }
  finish(done);
}

bool TeamLoop::join(bool (*goes_on)() noexcept) noexcept {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  do {
    if ((state & kOpen) == 0 || (state & kSeats) == 0) return false;
  } while (!state_.compare_exchange_weak(state, state - kSeat + 1, std::memory_order_acquire,
                                         std::memory_order_relaxed));
  work((state & kSeats) / kSeat, goes_on);
  // The last thing that it does here: from now on the loop may be another's.
  state_.fetch_sub(1, std::memory_order_release);
  return true;
}

// Closed last: whoever claims it next counts its own ranges.
bool TeamLoop::run() noexcept {
  const std::uint32_t seats = (members_ - 1) * kSeat;
  work(0, [] { return true; });
  await_others();
  return (state_.fetch_and(kWithin, std::memory_order_release) & kSeats) != seats;
}

void TeamLoop::do_range(std::uint32_t range, std::uint32_t member) const noexcept {
  const std::int64_t items = work_.end - work_.begin;
  // Without the product items * range, which may be too large.
  const std::int64_t each = items / ranges_;
  const std::int64_t rest = items % ranges_;
  const auto at = [&](std::int64_t i) { return work_.begin + each * i + std::min(i, rest); };
  work_.body(work_.context, at(range), at(range + std::int64_t{1}), member);
}

void TeamLoop::finish(std::uint32_t ranges) noexcept {
  if (ranges == 0) return;
  const std::uint32_t before = undone_.fetch_sub(ranges, std::memory_order_acq_rel);
  // The caller reads no more than the word, which stays; so waking it late harms nobody.
  if (before == (kAwaited | ranges)) futex_wake(undone_, 1);
}

void TeamLoop::await_others() noexcept {
  const auto is_done = [&] { return (undone_.load(std::memory_order_acquire) & ~kAwaited) == 0; };
  if (spin_until(kSpinForOthers, is_done)) return;
  undone_.fetch_or(kAwaited, std::memory_order_acq_rel);
  while (true) {
    const std::uint32_t seen = undone_.load(std::memory_order_acquire);
    if ((seen & ~kAwaited) == 0) return;
    futex_wait(undone_, seen);
  }
}

void TeamLoop::begin_again() noexcept {
  state_.store(0, std::memory_order_relaxed);
  undone_.store(0, std::memory_order_relaxed);
}

}  // namespace loci::core
