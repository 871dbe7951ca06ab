#include "framework/profiler/nesting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci::profiler {
namespace {

// The greatest depth that a record can tell. Bounds the time of walks to the outermost span.
constexpr std::size_t kMostNested = std::numeric_limits<std::uint16_t>::max();

bool comes_before(const Span& a, const Span& b) {
  return std::tie(a.begin_ns, b.end_ns, a.depth) < std::tie(b.begin_ns, a.end_ns, b.depth);
}

bool is_empty(const Span& span) { return span.begin_ns == span.end_ns; }

// Places spans without duration before the others of their depth that begin at the same time: they
// lie in those of smaller depths only. Where the others' depths contradict their ends, nothing can
// be told.
void place_empty_spans(std::vector<Span>::iterator first, std::vector<Span>::iterator last) {
  const auto first_empty = std::find_if(first, last, is_empty);
  const auto is_shallower = [](const Span& a, const Span& b) { return a.depth < b.depth; };
  if (first_empty == last || !std::is_sorted(first, first_empty, is_shallower)) return;
  std::rotate(first, first_empty, last);
  std::stable_sort(first, last, is_shallower);
}

void sort_by_time(std::vector<Span>& spans) {
  if (!std::is_sorted(spans.begin(), spans.end(), comes_before)) {
    std::stable_sort(spans.begin(), spans.end(), comes_before);
  }
  for (auto first = spans.begin(); first != spans.end();) {
    const auto last = std::find_if(
        first, spans.end(), [&](const Span& span) { return span.begin_ns != first->begin_ns; });
    if (last - first > 1) place_empty_spans(first, last);
    first = last;
  }
}

// Nests the sorted spans of one thread.
class Nester {
 public:
  Nester(const Recording& recording, std::uint32_t thread, Nesting& into)
      : recording_(recording),
        thread_(thread),
        recorded_(recording.threads[thread].spans),
        first_(into.spans.size()),
        spans_(into.spans),
        cut_calls_(into.cut_calls) {}

  void run() {
    for (const Span& span : recorded_) add(span);
  }

 private:
  void add(const Span& recorded) {
    const auto index = static_cast<std::uint32_t>(spans_.size());
    loci_profile_span span = without_place(recorded);
    leave_what_ended(recorded);
    fit(span);
    span.parent = open_.empty() ? LOCI_PROFILE_NONE : open_.back();
    if (span.parent != LOCI_PROFILE_NONE) {
      span.depth = spans_[span.parent].depth + 1;
      spans_[span.parent].self_ns -= span.self_ns;
    }
    spans_.push_back(span);
    open_.push_back(index);
    if (open_.size() > kMostNested) refuse_depth();
  }

  [[nodiscard]] loci_profile_span without_place(const Span& recorded) const {
    loci_profile_span span{};
    span.begin_ns = recorded.begin_ns;
    span.end_ns = recorded.end_ns;
    span.correlation = recorded.correlation;
    span.self_ns = recorded.end_ns - recorded.begin_ns;
    span.label = recorded.label;
    span.thread = thread_;
    span.flags = recorded.flags;
    return span;
  }

  // A span without duration lies in one that ends with it, if it is the deeper one.
  void leave_what_ended(const Span& next) {
    while (!open_.empty()) {
      const std::uint64_t end = spans_[open_.back()].end_ns;
      if (end > next.begin_ns) return;
      const bool is_deeper = recorded_[open_.back() - first_].depth < next.depth;
      if (end == next.begin_ns && is_empty(next) && is_deeper) return;
      open_.pop_back();
    }
  }

  // The innermost open span ends after `span` begins: it has to hold it.
  void fit(loci_profile_span& span) {
    while (!open_.empty() && spans_[open_.back()].end_ns < span.end_ns) {
      loci_profile_span& around = spans_[open_.back()];
      if (is_call(span)) {
        span.end_ns = around.end_ns;
        span.self_ns = span.end_ns - span.begin_ns;
      } else if (is_call(around)) {
        cut(around, span.begin_ns);
        open_.pop_back();
      } else {
        refuse_overlap(around, span);
      }
      ++cut_calls_;
    }
  }

  void cut(loci_profile_span& call, std::uint64_t end) {
    const std::uint64_t lost = call.end_ns - end;
    call.end_ns = end;
    call.self_ns -= lost;
    if (call.parent != LOCI_PROFILE_NONE) spans_[call.parent].self_ns += lost;
  }

  [[nodiscard]] bool is_call(const loci_profile_span& span) const {
    return recording_.labels[span.label].kind == LOCI_SPAN_CALL;
  }

  [[nodiscard]] std::string describe(const loci_profile_span& span) const {
    const Label& label = recording_.labels[span.label];
    return fmt::format("{} ({} to {} ns)",
                       core::quote(label.instance.empty() ? label.name : label.instance),
                       span.begin_ns, span.end_ns);
  }

  [[noreturn]] void refuse_overlap(const loci_profile_span& a, const loci_profile_span& b) const {
    core::raise(ErrorCode::kDataLoss,
                "[profiler] thread {} {}: span {} overlaps span {} without lying in it; the "
                "recording is damaged, make it anew",
                thread_, core::quote(recording_.threads[thread_].name), describe(b), describe(a));
  }

  [[noreturn]] void refuse_depth() const {
    core::raise(ErrorCode::kDataLoss,
                "[profiler] thread {} {}: span {} lies in more than {} others; the recording is "
                "damaged, make it anew",
                thread_, core::quote(recording_.threads[thread_].name), describe(spans_.back()),
                kMostNested);
  }

  const Recording& recording_;
  const std::uint32_t thread_;
  const std::vector<Span>& recorded_;
  const std::size_t first_;
  std::vector<loci_profile_span>& spans_;
  std::uint64_t& cut_calls_;
  std::vector<std::uint32_t> open_;  // innermost last
};

std::size_t count_spans(const Recording& recording) {
  std::size_t count = 0;
  for (const Thread& thread : recording.threads) count += thread.spans.size();
  return count;
}

}  // namespace

Nesting nest_spans(Recording& recording) {
  Nesting result;
  result.spans.reserve(count_spans(recording));
  for (std::size_t i = 0; i < recording.threads.size(); ++i) {
    result.first_of_thread.push_back(static_cast<std::uint32_t>(result.spans.size()));
    sort_by_time(recording.threads[i].spans);
    Nester(recording, static_cast<std::uint32_t>(i), result).run();
  }
  result.first_of_thread.push_back(static_cast<std::uint32_t>(result.spans.size()));
  return result;
}

std::uint32_t span_at(const Nesting& nesting, std::uint32_t thread, std::uint64_t at_ns) {
  const auto first = nesting.spans.begin() + nesting.first_of_thread[thread];
  const auto last = nesting.spans.begin() + nesting.first_of_thread[thread + 1];
  const auto after = std::upper_bound(
      first, last, at_ns,
      [](std::uint64_t at, const loci_profile_span& span) { return at < span.begin_ns; });
  if (after == first) return LOCI_PROFILE_NONE;
  auto index = static_cast<std::uint32_t>(after - nesting.spans.begin() - 1);
  while (index != LOCI_PROFILE_NONE && nesting.spans[index].end_ns < at_ns) {
    index = nesting.spans[index].parent;
  }
  return index;
}

}  // namespace loci::profiler
