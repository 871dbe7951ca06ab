#include "framework/profiler/step_times.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/profiler/accounting.h"

namespace loci::profiler {
namespace {

struct Piece {
  std::uint32_t owner;
  std::uint32_t step;
  std::uint64_t ns;
};

std::vector<loci_profile_step> disjoint_steps(const loci_profile& profile) {
  std::vector<loci_profile_step> steps;
  for (std::size_t i = 0; i < profile.step_count; ++i) {
    const loci_profile_step& step = profile.steps[i];
    if (steps.empty() || step.begin_ns >= steps.back().end_ns) steps.push_back(step);
  }
  return steps;
}

// Walks along the main thread's time from its first step to its last.
class Walk {
 public:
  Walk(const Profile& profile, const std::vector<std::uint32_t>& numbers,
       const std::vector<loci_profile_step>& steps)
      : profile_(profile), abi_(profile.abi()), numbers_(numbers), steps_(steps) {}

  std::vector<Piece> run() {
    at_ = steps_.front().begin_ns;
    for (std::size_t i = 0; i < abi_.span_count; ++i) {
      const loci_profile_span& span = abi_.spans[i];
      if (span.thread != abi_.main_thread) continue;
      advance(span.begin_ns);
      open_.push_back({span.end_ns, owner_of(span)});
    }
    advance(steps_.back().end_ns);
    return std::move(pieces_);
  }

 private:
  struct Open {
    std::uint64_t end_ns;
    std::uint32_t owner;
  };

  [[nodiscard]] std::uint32_t owner_of(const loci_profile_span& span) const {
    const bool is_within_wait = !open_.empty() && open_.back().owner == kIdleTime;
    return is_within_wait || is_waiting(span, profile_.recording()) ? kIdleTime
                                                                    : numbers_[span.node];
  }

  void advance(std::uint64_t to) {
    while (!open_.empty() && open_.back().end_ns <= to) {
      give(open_.back().owner, open_.back().end_ns);
      open_.pop_back();
    }
    give(open_.empty() ? kUnaccountedTime : open_.back().owner, to);
  }

  // The time up to `end`.
  void give(std::uint32_t owner, std::uint64_t end) {
    while (at_ < end && step_ < steps_.size()) {
      const loci_profile_step& step = steps_[step_];
      const std::uint64_t begin = std::max(at_, step.begin_ns);
      at_ = std::min(end, step.end_ns);
      if (begin < at_) pieces_.push_back({owner, static_cast<std::uint32_t>(step_), at_ - begin});
      if (at_ < step.end_ns) break;
      ++step_;
    }
    at_ = std::max(at_, end);
  }

  const Profile& profile_;
  const loci_profile& abi_;
  const std::vector<std::uint32_t>& numbers_;
  const std::vector<loci_profile_step>& steps_;
  std::vector<Open> open_;
  std::vector<Piece> pieces_;
  std::uint64_t at_ = 0;
  std::size_t step_ = 0;
};

void add_up(std::vector<Piece> pieces, StepTimes& times) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.owner, a.step) < std::tie(b.owner, b.step);
  });
  const Piece* last = nullptr;
  for (const Piece& piece : pieces) {
    OwnedTime& owned = times.owners[piece.owner];
    owned.total_ns += piece.ns;
    const bool is_same = last != nullptr && last->owner == piece.owner && last->step == piece.step;
    if (is_same) {
      owned.by_step_ns.back() += piece.ns;
    } else {
      owned.by_step_ns.push_back(piece.ns);
    }
    last = &piece;
  }
}

// Counts the calls of the main thread alone, whose times these are.
void count_calls(const loci_profile& abi, const std::vector<std::uint32_t>& numbers,
                 StepTimes& times) {
  for (std::size_t i = 0; i < abi.span_count; ++i) {
    const loci_profile_span& span = abi.spans[i];
    if (span.thread == abi.main_thread) ++times.owners[numbers[span.node]].calls;
  }
  for (std::size_t i = 0; i < abi.device_span_count; ++i) {
    const loci_profile_device_span& work = abi.device_spans[i];
    if (work.span == LOCI_PROFILE_NONE) continue;
    const loci_profile_span& launcher = abi.spans[work.span];
    if (launcher.thread != abi.main_thread) continue;
    times.owners[numbers[launcher.node]].device_ns += work.end_ns - work.begin_ns;
  }
}

}  // namespace

StepTimes measure_steps(const Profile& profile, const std::vector<std::uint32_t>& numbers) {
  StepTimes times;
  std::vector<loci_profile_step> steps = disjoint_steps(profile.abi());
  times.has_steps = !steps.empty();
  if (steps.empty()) steps.push_back({0, profile.abi().wall_ns, 0});
  for (const loci_profile_step& step : steps) times.steps_ns.push_back(step.end_ns - step.begin_ns);
  add_up(Walk(profile, numbers, steps).run(), times);
  count_calls(profile.abi(), numbers, times);
  return times;
}

}  // namespace loci::profiler
