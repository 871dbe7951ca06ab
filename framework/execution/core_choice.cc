#include "framework/execution/core_choice.h"

#include <algorithm>
#include <cstddef>

namespace loci::execution {
namespace {

// Each way has so many turns; its first one finds nothing in the caches and counts for nothing.
constexpr std::size_t kTurns = 8;
// Tracks have to win this part of the plain runs' time.
constexpr double kLeastWin = 0.05;
constexpr std::uint64_t kFirstRest = 64;
constexpr std::uint64_t kLongestRest = std::uint64_t{1} << 16;
constexpr std::uint64_t kFirstStay = 1024;
// Plain runs whose time the won one is counted up to, and that may be lost without any won.
constexpr std::int64_t kMostWon = 100;
constexpr std::int64_t kMostLost = 10;
// How often a rest has the time that was lost before it, at least.
constexpr std::uint64_t kRestOverLoss = 20;

std::uint64_t median(std::vector<std::uint64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

CoreChoice::Way CoreChoice::next() const noexcept {
  if (state_ == State::kTurns) return turns_.size() % 2 == 0 ? Way::kPlain : Way::kForked;
  return state_ == State::kForked ? Way::kForked : Way::kPlain;
}

void CoreChoice::note(std::uint64_t ns) {
  switch (state_) {
    case State::kTurns: return note_turn(ns);
    case State::kForked: return note_forked(ns);
    case State::kResting:
      if (--runs_ == 0) take_turns();
      return;
  }
}

void CoreChoice::take_turns() {
  state_ = State::kTurns;
  turns_.clear();
}

void CoreChoice::note_turn(std::uint64_t ns) {
  turns_.push_back(ns);
  if (turns_.size() == 2 * kTurns) judge();
}

void CoreChoice::judge() {
  std::vector<std::uint64_t> plain;
  std::vector<std::uint64_t> forked;
  std::int64_t lost_ns = 0;
  for (std::size_t i = 2; i < turns_.size(); ++i) {
    const auto ns = static_cast<std::int64_t>(turns_[i]);
    lost_ns += i % 2 == 0 ? -ns : ns;
    (i % 2 == 0 ? plain : forked).push_back(turns_[i]);
  }
  plain_ns_ = median(std::move(plain));
  forked_ns_ = median(std::move(forked));
  if (static_cast<double>(forked_ns_) > (1 - kLeastWin) * static_cast<double>(plain_ns_)) {
    rest_ = std::clamp(2 * rest_, kFirstRest, kLongestRest);
    return rest(rest_, lost_ns);
  }
  state_ = State::kForked;
  won_ns_ = 0;
  rest_ = 0;
  stay_ = std::clamp(2 * stay_, kFirstStay, kLongestRest);
  runs_ = stay_;
}

void CoreChoice::rest(std::uint64_t least, std::int64_t lost_ns) {
  state_ = State::kResting;
  const std::uint64_t lost_runs = static_cast<std::uint64_t>(std::max<std::int64_t>(lost_ns, 0)) /
                                  std::max<std::uint64_t>(plain_ns_, 1);
  runs_ = std::clamp(kRestOverLoss * lost_runs, least, kLongestRest);
  stay_ = 0;
}

void CoreChoice::note_forked(std::uint64_t ns) {
  const auto plain = static_cast<std::int64_t>(plain_ns_);
  won_ns_ = std::min(won_ns_ + plain - static_cast<std::int64_t>(ns), kMostWon * plain);
  if (won_ns_ < -kMostLost * plain) return rest(kFirstRest, -won_ns_);
  if (--runs_ == 0) take_turns();
}

}  // namespace loci::execution
