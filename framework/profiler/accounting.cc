#include "framework/profiler/accounting.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "framework/profiler/abi_text.h"
#include "framework/profiler/covered_time.h"

namespace loci::profiler {
namespace {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The spans of one thread.
class Account {
 public:
  Account(const Recording& recording, const Nesting& nesting, std::uint32_t thread)
      : recording_(recording),
        spans_(nesting.spans),
        thread_(thread),
        first_(nesting.first_of_thread[thread]),
        last_(nesting.first_of_thread[thread + 1]) {}

  [[nodiscard]] loci_profile_thread make() const {
    const Interval life = lifetime();
    loci_profile_thread result{};
    result.os_id = recording_.threads[thread_].os_id;
    result.name = to_abi(recording_.threads[thread_].name);
    result.wall_ns = life.end - life.begin;
    result.self_ns = self();
    result.idle_ns = idle();
    result.unaccounted_ns = unaccounted(life);
    result.number = thread_;
    result.span_count = last_ - first_;
    return result;
  }

 private:
  [[nodiscard]] Interval lifetime() const {
    if (thread_ == recording_.main_thread) return {0, recording_.wall_ns};
    Interval life;
    if (first_ != last_) life.begin = life.end = spans_[first_].begin_ns;
    for (std::uint32_t i = first_; i < last_; ++i) life.end = std::max(life.end, spans_[i].end_ns);
    return life;
  }

  [[nodiscard]] std::uint64_t self() const {
    std::vector<bool> is_within_wait(last_ - first_);
    std::uint64_t sum = 0;
    for (std::uint32_t i = first_; i < last_; ++i) {
      const std::uint32_t parent = spans_[i].parent;
      const bool waits = is_waiting(spans_[i], recording_) ||
                         (parent != LOCI_PROFILE_NONE && is_within_wait[parent - first_]);
      is_within_wait[i - first_] = waits;
      if (!waits) sum += spans_[i].self_ns;
    }
    return sum;
  }

  [[nodiscard]] std::uint64_t idle() const {
    CoveredTime covered;
    std::uint64_t sum = 0;
    for (std::uint32_t i = first_; i < last_; ++i) {
      if (is_waiting(spans_[i], recording_))
        sum += covered.add(spans_[i].begin_ns, spans_[i].end_ns);
    }
    return sum;
  }

  [[nodiscard]] std::uint64_t unaccounted(const Interval& life) const {
    std::uint64_t reached = life.begin;
    std::uint64_t sum = 0;
    for (std::uint32_t i = first_; i < last_; ++i) {
      if (spans_[i].parent != LOCI_PROFILE_NONE) continue;
      const std::uint64_t begin = std::min(spans_[i].begin_ns, life.end);
      if (begin > reached) sum += begin - reached;
      reached = std::max(reached, spans_[i].end_ns);
    }
    return life.end > reached ? sum + (life.end - reached) : sum;
  }

  const Recording& recording_;
  const std::vector<loci_profile_span>& spans_;
  const std::uint32_t thread_;
  const std::uint32_t first_;
  const std::uint32_t last_;
};

}  // namespace

// A fetch is no synchronous copy, yet its thread has nothing else to do.
bool is_waiting(const loci_profile_span& span, const Recording& recording) {
  const Label& label = recording.labels[span.label];
  if (label.kind == LOCI_SPAN_WAIT) return true;
  const bool waits = (span.flags & LOCI_SPAN_HOST_WAITED) != 0 || label.reason == "fetch";
  return label.kind == LOCI_SPAN_COPY && waits;
}

std::vector<loci_profile_thread> account(const Recording& recording, const Nesting& nesting) {
  std::vector<loci_profile_thread> threads;
  threads.reserve(recording.threads.size());
  for (std::size_t i = 0; i < recording.threads.size(); ++i) {
    threads.push_back(Account(recording, nesting, static_cast<std::uint32_t>(i)).make());
  }
  return threads;
}

}  // namespace loci::profiler
