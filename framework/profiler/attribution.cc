#include "framework/profiler/attribution.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "framework/profiler/abi_text.h"
#include "framework/profiler/id_map.h"

namespace loci::profiler {
namespace {

class Attributor {
 public:
  Attributor(const Recording& recording, Nesting& nesting)
      : recording_(recording), spans_(nesting.spans), launchers_(recording.device_spans.size()) {
    work_.spans.reserve(recording.device_spans.size());
    work_.launchers.reserve(recording.device_spans.size());
  }

  DeviceWork run() {
    find_launchers();
    for (const std::uint32_t index : by_device_and_time()) add(recording_.device_spans[index]);
    // A span comes after what is around it.
    for (std::size_t i = spans_.size(); i-- > 0;) {
      if (spans_[i].parent != LOCI_PROFILE_NONE) {
        spans_[spans_[i].parent].device_ns += spans_[i].device_ns;
      }
    }
    return std::move(work_);
  }

 private:
  void find_launchers() {
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].correlation == 0) continue;
      const auto [launcher, is_new] = launchers_.emplace(spans_[i].correlation, i);
      if (!is_new && rank(launcher) < rank(i)) launcher = i;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> by_device_and_time() const {
    const std::vector<DeviceSpan>& all = recording_.device_spans;
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(all[a].device, all[a].begin_ns) < std::tie(all[b].device, all[b].begin_ns);
    };
    if (!std::is_sorted(order.begin(), order.end(), comes_before)) {
      std::stable_sort(order.begin(), order.end(), comes_before);
    }
    return order;
  }

  void add(const DeviceSpan& recorded) {
    const std::uint32_t launcher =
        recorded.correlation == 0 ? LOCI_PROFILE_NONE : launchers_.find(recorded.correlation);
    const std::uint64_t duration = recorded.end_ns - recorded.begin_ns;
    const std::uint32_t span = launcher == LOCI_PROFILE_NONE ? launcher : owner(launcher);
    if (span == LOCI_PROFILE_NONE) {
      ++work_.unattributed_spans;
      work_.unattributed_ns += duration;
    } else {
      spans_[span].device_ns += duration;
    }
    work_.spans.push_back(shown(recorded, span));
    work_.launchers.push_back(launcher);
  }

  loci_profile_device_span shown(const DeviceSpan& recorded, std::uint32_t span) {
    loci_profile_device_span result{};
    result.begin_ns = recorded.begin_ns;
    result.end_ns = recorded.end_ns;
    result.correlation = recorded.correlation;
    result.bytes = recorded.bytes;
    result.name = to_abi(recording_.texts[recorded.name]);
    result.kind = recorded.kind;
    result.direction = recorded.direction;
    result.device = recorded.device;
    result.stream = stream_number(recorded);
    result.span = span;
    result.graph = recorded.graph;
    result.replay = recorded.replay;
    result.algorithm_bytes = recorded.algorithm_bytes;
    result.geometry = recorded.geometry;
    return result;
  }

  // Counted anew, so that whoever makes a row for each stream makes as many as there are.
  std::uint32_t stream_number(const DeviceSpan& recorded) {
    std::map<std::uint32_t, std::uint32_t>& numbers = streams_[recorded.device];
    return numbers.emplace(recorded.stream, static_cast<std::uint32_t>(numbers.size()))
        .first->second;
  }

  [[nodiscard]] bool is_call(std::uint32_t span) const {
    return recording_.labels[spans_[span].label].kind == LOCI_SPAN_CALL;
  }

  // The innermost span around a call that is none, else the call itself.
  [[nodiscard]] std::uint32_t owner(std::uint32_t launcher) const {
    for (std::uint32_t i = launcher; i != LOCI_PROFILE_NONE; i = spans_[i].parent) {
      if (!is_call(i)) return i;
    }
    return launcher;
  }

  // Ranks launchers: of two spans with one correlation id, the better one has the larger rank.
  [[nodiscard]] std::tuple<bool, std::uint32_t, std::uint32_t> rank(std::uint32_t launcher) const {
    const std::uint32_t span = owner(launcher);
    return {!is_call(span), spans_[span].depth, spans_[launcher].depth};
  }

  const Recording& recording_;
  std::vector<loci_profile_span>& spans_;
  IdMap launchers_;  // correlation id -> span
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> streams_;
  DeviceWork work_;
};

}  // namespace

DeviceWork attribute(const Recording& recording, Nesting& nesting) {
  return Attributor(recording, nesting).run();
}

}  // namespace loci::profiler
