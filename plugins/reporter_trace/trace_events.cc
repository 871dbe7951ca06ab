#include "plugins/reporter_trace/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <loci/plugin/reporter.hpp>

#include "plugins/report_data/json_writer.h"
#include "plugins/report_data/words.h"
#include "plugins/reporter_trace/trace_args.h"

namespace loci::report {
namespace {

using sdk::to_view;

constexpr std::uint64_t kNotShown = UINT64_MAX;

struct Slice {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

// `head` holds name and category, `args` the members of the arguments.
std::string slice_event(std::string_view head, const Slice& slice, const TrackId& track,
                        std::string_view args) {
  const std::uint64_t length = slice.end_ns - slice.begin_ns;
  return fmt::format(
      R"({{"ph":"X",{},"ts":{}.{:03},"dur":{}.{:03},"pid":{},"tid":{},"args":{{{}}}}})", head,
      slice.begin_ns / 1000, slice.begin_ns % 1000, length / 1000, length % 1000, track.process,
      track.thread, args);
}

// `phase`: "s" begins an arrow, "f" ends it at the slice around it.
std::string flow_event(char phase, std::uint64_t id, std::uint64_t at_ns, const TrackId& track) {
  return fmt::format(
      R"({{"ph":"{}",{}"name":"launch","cat":"launch","id":{},"ts":{}.{:03},"pid":{},"tid":{}}})",
      phase, phase == 'f' ? R"("bp":"e",)" : "", id, at_ns / 1000, at_ns % 1000, track.process,
      track.thread);
}

std::string head_of(std::string_view name, std::string_view category) {
  std::string head = "\"name\":";
  append_json_string(head, name);
  return head.append(R"(,"cat":")").append(category).append("\"");
}

Slice clipped(const TraceWindow& window, std::uint64_t begin_ns, std::uint64_t end_ns) {
  return {std::max(begin_ns, window.begin_ns),
          std::max(std::min(end_ns, window.end_ns), window.begin_ns)};
}

// The slices of a thread that are open, from the outermost in.
class OpenSlices {
 public:
  // Cuts off what reaches beyond the slice around it.
  Slice fit(std::uint32_t thread, Slice slice) {
    if (thread != thread_) ends_.clear();
    thread_ = thread;
    while (!ends_.empty() && ends_.back() <= slice.begin_ns) ends_.pop_back();
    if (!ends_.empty()) slice.end_ns = std::min(slice.end_ns, ends_.back());
    ends_.push_back(slice.end_ns);
    return slice;
  }

 private:
  std::uint32_t thread_ = LOCI_PROFILE_NONE;
  std::vector<std::uint64_t> ends_;
};

}  // namespace

TraceEvents::TraceEvents(const loci_profile& profile, const DeviceLanes& lanes)
    : profile_(profile), lanes_(lanes), tracks_(profile, lanes) {
  for (const loci_profile_label& label : sdk::labels_of(profile)) {
    labels_.push_back({head_of(trace_title(label), span_kind_word(label.kind)),
                       label_args(label).members(), launcher_args(label).members()});
  }
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    std::string& head = work_heads_[{work.kind, to_view(work.name)}];
    if (head.empty()) head = head_of(to_view(work.name), device_work_word(work.kind));
  }
  for (const loci_profile_tensor& tensor : sdk::tensors_of(profile)) {
    memory_heads_.push_back(
        head_of(fmt::format("memory in use, {}", to_view(tensor.place)), "memory"));
  }
}

TraceCounts TraceEvents::write(const TraceWindow& window, const Emit& emit) const {
  TraceCounts counts;
  write_steps(window, emit);
  const std::vector<std::uint64_t> begins = write_spans(window, emit, counts);
  write_device_work(window, begins, emit, counts);
  write_gaps(window, emit);
  write_memory(window, emit, counts);
  return counts;
}

void TraceEvents::write_steps(const TraceWindow& window, const Emit& emit) const {
  std::uint64_t last_end = 0;
  for (const loci_profile_step& step : sdk::steps_of(profile_)) {
    if (!window.shows(step.begin_ns, step.end_ns)) continue;
    Slice slice = clipped(window, step.begin_ns, step.end_ns);
    slice.begin_ns = std::min(std::max(slice.begin_ns, last_end), slice.end_ns);
    last_end = slice.end_ns;
    emit(slice.begin_ns, slice_event(head_of(fmt::format("step {}", step.number), "step"), slice,
                                     tracks_.steps(), ""));
  }
}

std::vector<std::uint64_t> TraceEvents::write_spans(const TraceWindow& window, const Emit& emit,
                                                    TraceCounts& counts) const {
  std::vector<std::uint64_t> begins(profile_.span_count, kNotShown);
  OpenSlices open;
  for (std::size_t i = 0; i < profile_.span_count; ++i) {
    const loci_profile_span& span = profile_.spans[i];
    if (!window.shows(span.begin_ns, span.end_ns)) continue;
    const Slice slice = open.fit(span.thread, clipped(window, span.begin_ns, span.end_ns));
    const LabelText& text = labels_[span.label];
    emit(slice.begin_ns,
         slice_event(text.head, slice, tracks_.thread(span.thread),
                     span_args(text.args, profile_.labels[span.label], span).members()));
    begins[i] = slice.begin_ns;
    ++counts.spans;
  }
  return begins;
}

void TraceEvents::write_device_work(const TraceWindow& window,
                                    const std::vector<std::uint64_t>& begins, const Emit& emit,
                                    TraceCounts& counts) const {
  for (std::size_t i = 0; i < profile_.device_span_count; ++i) {
    const loci_profile_device_span& work = profile_.device_spans[i];
    const DeviceSlot& slot = lanes_.slots[i];
    if (!window.shows(slot.begin_ns, slot.end_ns)) continue;
    const Slice slice = clipped(window, slot.begin_ns, slot.end_ns);
    const TrackId track = tracks_.device_work(slot.track);
    const bool has_launcher = work.span != LOCI_PROFILE_NONE;
    const loci_profile_span* launcher = has_launcher ? &profile_.spans[work.span] : nullptr;
    const std::string_view launched_by =
        has_launcher ? labels_[launcher->label].launcher_args : std::string_view();
    emit(slice.begin_ns, slice_event(work_heads_.at({work.kind, to_view(work.name)}), slice, track,
                                     device_args(launched_by, work).members()));
    ++counts.device_spans;
    // No arrow leads back in time, as an error of the clocks may have it.
    if (!has_launcher || begins[work.span] > slice.begin_ns) continue;
    emit(slice.begin_ns,
         flow_event('s', i + 1, begins[work.span], tracks_.thread(launcher->thread)));
    emit(slice.begin_ns, flow_event('f', i + 1, slice.begin_ns, track));
    ++counts.flows;
  }
}

void TraceEvents::write_gaps(const TraceWindow& window, const Emit& emit) const {
  for (const loci_profile_gap& gap : sdk::gaps_of(profile_)) {
    if (!window.shows(gap.begin_ns, gap.end_ns)) continue;
    const Slice slice = clipped(window, gap.begin_ns, gap.end_ns);
    TraceArgs args;
    if (gap.span != LOCI_PROFILE_NONE) {
      args.add("span", trace_title(profile_.labels[profile_.spans[gap.span].label]));
    }
    args.add("next", profile_.device_spans[gap.next].name);
    emit(slice.begin_ns, slice_event(head_of(gap_cause_word(gap.cause), "idle"), slice,
                                     tracks_.idle(gap.device), args.members()));
  }
}

void TraceEvents::write_memory(const TraceWindow& window, const Emit& emit,
                               TraceCounts& counts) const {
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile_)) {
    if (!window.shows(event.at_ns, event.at_ns)) continue;
    const TrackId track = tracks_.memory(profile_.tensors[event.tensor].place);
    emit(event.at_ns,
         fmt::format(R"({{"ph":"C",{},"ts":{}.{:03},"pid":{},"tid":{},"args":{{"bytes":{}}}}})",
                     memory_heads_[event.tensor], event.at_ns / 1000, event.at_ns % 1000,
                     track.process, track.thread, event.in_use));
    ++counts.memory_events;
  }
}

}  // namespace loci::report
