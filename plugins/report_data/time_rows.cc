#include "plugins/report_data/time_rows.h"

#include <algorithm>
#include <cstddef>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "plugins/report_data/words.h"

namespace loci::report {
namespace {

using sdk::to_view;
using RowKey = std::tuple<std::uint32_t, std::string_view, std::string_view>;

bool is_operator(std::uint32_t kind) { return kind == LOCI_SPAN_OP || kind == LOCI_SPAN_GRADIENT; }

// Phases and calls of a device's interface are parts of what they are in.
bool is_part(std::uint32_t kind) { return kind == LOCI_SPAN_PHASE || kind == LOCI_SPAN_CALL; }

// Follows the profiler's accounting: a fetch is no synchronous copy, yet its thread has nothing
// else to do.
bool is_waiting(const loci_profile_span& span, const loci_profile_label& label) {
  if (label.kind == LOCI_SPAN_WAIT) return true;
  const bool waits = (span.flags & LOCI_SPAN_HOST_WAITED) != 0 || to_view(label.reason) == "fetch";
  return label.kind == LOCI_SPAN_COPY && waits;
}

// Device time of each span that none of the spans within it launched.
std::vector<std::uint64_t> own_device_times(const sdk::ProfileArray<loci_profile_span>& spans) {
  std::vector<std::uint64_t> times;
  for (const loci_profile_span& span : spans) times.push_back(span.device_ns);
  for (const loci_profile_span& span : spans) {
    if (span.parent == LOCI_PROFILE_NONE) continue;
    std::uint64_t& parent = times[span.parent];
    parent -= std::min(parent, span.device_ns);
  }
  return times;
}

bool is_queued_place(const loci_profile& profile, std::string_view place) {
  const auto devices = sdk::devices_of(profile);
  return std::any_of(devices.begin(), devices.end(), [place](const loci_profile_device& device) {
    return to_view(device.place) == place && device.is_queued != 0;
  });
}

// From spans: a node of the call tree may hold calls at several places.
class Rows {
 public:
  explicit Rows(const loci_profile& profile)
      : profile_(profile),
        spans_(sdk::spans_of(profile)),
        own_device_(own_device_times(spans_)),
        owners_(spans_.size(), nullptr),
        waits_(spans_.size()) {
    for (std::size_t i = 0; i < spans_.size(); ++i) add(i);
  }

  std::vector<TimeRow> finish() {
    std::vector<TimeRow> result;
    for (auto& [key, row] : rows_) {
      std::tie(row.kind, row.name, row.place) = key;
      row.work_ns = row.device_ns > 0                      ? row.device_ns
                    : is_queued_place(profile_, row.place) ? 0
                                                           : row.host_ns;
      result.push_back(row);
    }
    std::stable_sort(result.begin(), result.end(), [](const TimeRow& one, const TimeRow& other) {
      return one.host_ns > other.host_ns;
    });
    return result;
  }

 private:
  void add(std::size_t index) {
    const loci_profile_span& span = spans_[index];
    const loci_profile_label& label = profile_.labels[span.label];
    const bool has_parent = span.parent != LOCI_PROFILE_NONE;
    waits_[index] = is_waiting(span, label) || (has_parent && waits_[span.parent]);
    if (is_part(label.kind) && has_parent) {
      owners_[index] = owners_[span.parent];
    } else if (!waits_[index]) {
      owners_[index] = &rows_[{label.kind, to_view(label.name), to_view(label.place)}];
      if ((span.flags & LOCI_SPAN_PART) == 0) count(*owners_[index], label);
    }
    if (owners_[index] == nullptr) return;
    if (!waits_[index]) owners_[index]->host_ns += span.self_ns;
    owners_[index]->device_ns += own_device_[index];
  }

  static void count(TimeRow& row, const loci_profile_label& label) {
    ++row.calls;
    row.bytes += label.bytes;
    if (is_operator(label.kind)) row.flops += label.flops;
  }

  const loci_profile& profile_;
  const sdk::ProfileArray<loci_profile_span> spans_;
  const std::vector<std::uint64_t> own_device_;
  std::vector<TimeRow*> owners_;  // of each span
  std::vector<bool> waits_;
  std::map<RowKey, TimeRow> rows_;
};

}  // namespace

std::vector<TimeRow> time_rows(const loci_profile& profile) { return Rows(profile).finish(); }

StepTimes step_times(const loci_profile& profile) {
  std::vector<std::uint64_t> times;
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    times.push_back(step.end_ns - step.begin_ns);
  }
  StepTimes result;
  if (times.empty()) return result;
  std::sort(times.begin(), times.end());
  result.count = times.size();
  result.total_ns = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  result.mean_ns = result.total_ns / result.count;
  const std::uint64_t lower = times[(times.size() - 1) / 2];
  result.median_ns = lower + (times[times.size() / 2] - lower) / 2;
  result.min_ns = times.front();
  result.max_ns = times.back();
  return result;
}

void write_time_rows(JsonWriter& json, const loci_profile& profile) {
  json.begin_array();
  for (const TimeRow& row : time_rows(profile)) {
    json.begin_object()
        .member("kind", span_kind_word(row.kind))
        .member("name", std::string_view(row.name))
        .member("place", std::string_view(row.place))
        .member("calls", row.calls)
        .member("host_ns", row.host_ns)
        .member("device_ns", row.device_ns)
        .member("work_ns", row.work_ns)
        .member("flops", row.flops)
        .member("bytes", row.bytes)
        .end_object();
  }
  json.end_array();
}

void write_step_times(JsonWriter& json, const loci_profile& profile) {
  const StepTimes times = step_times(profile);
  json.begin_object()
      .member("count", times.count)
      .member("total_ns", times.total_ns)
      .member("mean_ns", times.mean_ns)
      .member("median_ns", times.median_ns)
      .member("min_ns", times.min_ns)
      .member("max_ns", times.max_ns)
      .end_object();
}

}  // namespace loci::report
