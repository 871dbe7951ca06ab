#include "framework/profiler/gaps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "framework/profiler/accounting.h"
#include "framework/profiler/covered_time.h"

namespace loci::profiler {
namespace {

// The activity of a thread in an interval.
class Activity {
 public:
  struct Share {
    std::uint32_t span = LOCI_PROFILE_NONE;
    std::uint64_t ns = 0;
  };

  Activity(const Recording& recording, const Nesting& nesting)
      : recording_(recording), nesting_(nesting) {}

  void look_at(std::uint32_t thread, std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    end_ = end;
    longest_ = longest_copy_ = {};
    outside_ = {LOCI_PROFILE_NONE, end - begin};
    copies_ns_ = 0;
    copies_ = {};
    open_.clear();
    enter_ancestors(span_at(nesting_, thread, begin));
    const auto& spans = nesting_.spans;
    const auto last = spans.begin() + nesting_.first_of_thread[thread + 1];
    auto next = std::upper_bound(
        spans.begin() + nesting_.first_of_thread[thread], last, begin,
        [](std::uint64_t at, const loci_profile_span& span) { return at < span.begin_ns; });
    for (; next != last && next->begin_ns < end; ++next) {
      enter(static_cast<std::uint32_t>(next - spans.begin()));
    }
    while (!open_.empty()) leave();
  }

  // The span with most time of its own, none if the thread was longer outside of any.
  [[nodiscard]] const Share& longest() const {
    return outside_.ns > longest_.ns ? outside_ : longest_;
  }
  // The copy for which the thread waited longest.
  [[nodiscard]] const Share& longest_copy() const { return longest_copy_; }
  [[nodiscard]] std::uint64_t copies_ns() const { return copies_ns_; }

 private:
  void enter_ancestors(std::uint32_t innermost) {
    std::vector<std::uint32_t> chain;
    for (std::uint32_t i = innermost; i != LOCI_PROFILE_NONE; i = nesting_.spans[i].parent) {
      chain.push_back(i);
    }
    for (auto i = chain.rbegin(); i != chain.rend(); ++i) enter(*i);
  }

  void enter(std::uint32_t index) {
    const loci_profile_span& span = nesting_.spans[index];
    while (!open_.empty() && open_.back().span != span.parent) leave();
    const std::uint64_t ns = overlap(span);
    (open_.empty() ? outside_ : open_.back()).ns -= ns;
    open_.push_back({index, ns});
    if (recording_.labels[span.label].kind == LOCI_SPAN_COPY && is_waiting(span, recording_)) {
      copies_ns_ += copies_.add(std::max(span.begin_ns, begin_), std::min(span.end_ns, end_));
      if (ns > longest_copy_.ns) longest_copy_ = {index, ns};
    }
  }

  void leave() {
    if (open_.back().ns > longest_.ns) longest_ = open_.back();
    open_.pop_back();
  }

  [[nodiscard]] std::uint64_t overlap(const loci_profile_span& span) const {
    const std::uint64_t from = std::max(span.begin_ns, begin_);
    const std::uint64_t to = std::min(span.end_ns, end_);
    return to > from ? to - from : 0;
  }

  const Recording& recording_;
  const Nesting& nesting_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  Share outside_;
  Share longest_;
  Share longest_copy_;
  std::uint64_t copies_ns_ = 0;
  CoveredTime copies_;
  std::vector<Share> open_;  // outermost first; with what no span within has taken so far
};

class GapFinder {
 public:
  GapFinder(const Recording& recording, const Nesting& nesting, const DeviceWork& work)
      : nesting_(nesting), work_(work), activity_(recording, nesting) {}

  std::vector<loci_profile_gap> run() {
    CoveredTime covered;
    for (std::uint32_t i = 0; i < work_.spans.size(); ++i) {
      const loci_profile_device_span& span = work_.spans[i];
      const bool is_first = i == 0 || work_.spans[i - 1].device != span.device;
      if (is_first) covered = {};
      if (!is_first && span.begin_ns > covered.end()) add_gap(covered.end(), i);
      covered.add(span.begin_ns, span.end_ns);
    }
    return std::move(gaps_);
  }

 private:
  void add_gap(std::uint64_t begin, std::uint32_t next) {
    loci_profile_gap gap{};
    gap.begin_ns = begin;
    gap.end_ns = work_.spans[next].begin_ns;
    gap.device = work_.spans[next].device;
    gap.next = next;
    gap.cause = LOCI_GAP_HOST_LATE;
    gap.span = LOCI_PROFILE_NONE;
    if (is_within_replay(next)) {
      gap.cause = LOCI_GAP_WAITS_FOR_DEVICE;
      gap.span = work_.spans[next].span;
    } else if (work_.launchers[next] != LOCI_PROFILE_NONE) {
      explain(gap);
    }
    gaps_.push_back(gap);
  }

  // Work that a replay holds was launched when its first work began, though the call may not have
  // returned.
  [[nodiscard]] bool is_within_replay(std::uint32_t next) const {
    const loci_profile_device_span& one = work_.spans[next - 1];
    const loci_profile_device_span& other = work_.spans[next];
    return other.graph != 0 && one.graph == other.graph && one.replay == other.replay;
  }

  void explain(loci_profile_gap& gap) {
    const loci_profile_span& launcher = nesting_.spans[work_.launchers[gap.next]];
    const std::uint64_t launch = std::min(launcher.end_ns, gap.end_ns);
    if (launch < gap.begin_ns || launch - gap.begin_ns < gap.end_ns - launch) {
      gap.cause = LOCI_GAP_WAITS_FOR_DEVICE;
      gap.span = work_.spans[gap.next].span;
      return;
    }
    activity_.look_at(launcher.thread, gap.begin_ns, launch);
    const std::uint64_t late = launch - gap.begin_ns;
    const bool is_copy = activity_.copies_ns() >= late - activity_.copies_ns();
    gap.cause = is_copy ? LOCI_GAP_WAITS_FOR_COPY : LOCI_GAP_HOST_LATE;
    gap.span = is_copy ? activity_.longest_copy().span : activity_.longest().span;
  }

  const Nesting& nesting_;
  const DeviceWork& work_;
  Activity activity_;
  std::vector<loci_profile_gap> gaps_;
};

}  // namespace

std::vector<loci_profile_gap> find_gaps(const Recording& recording, const Nesting& nesting,
                                        const DeviceWork& work) {
  return GapFinder(recording, nesting, work).run();
}

}  // namespace loci::profiler
