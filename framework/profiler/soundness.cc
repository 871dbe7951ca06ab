#include "framework/profiler/soundness.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string_view>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci::profiler {
namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  core::raise(ErrorCode::kDataLoss, "[profiler] {}; the recording is damaged, make it anew",
              fmt::format(format, std::forward<Args>(args)...));
}

// `where` makes the words for the place; it is called only for what is refused.
template <class Where>
void check_index(std::uint64_t index, std::size_t count, std::string_view what,
                 const Where& where) {
  if (index >= count) refuse("{}: {} {} of {}", where(), what, index, count);
}

template <class Where>
void check_order(std::uint64_t begin, std::uint64_t end, const Where& where) {
  if (end < begin) refuse("{}: ends at {} ns, before it begins at {} ns", where(), end, begin);
}

// Indexes are of 32 bits.
void check_counts(const Recording& recording) {
  const auto where = [] { return "session"; };
  std::size_t spans = 0;
  for (const Thread& thread : recording.threads) spans += thread.spans.size();
  check_index(spans, LOCI_PROFILE_NONE, "span count", where);
  check_index(recording.labels.size(), LOCI_PROFILE_NONE, "label count", where);
  check_index(recording.threads.size(), LOCI_PROFILE_NONE, "thread count", where);
  check_index(recording.device_spans.size(), LOCI_PROFILE_NONE, "device work count", where);
  check_index(recording.memory_events.size(), LOCI_PROFILE_NONE, "memory event count", where);
}

void check_head(const Recording& recording) {
  const auto where = [] { return "session"; };
  check_index(recording.level, LOCI_PROFILE_LEVEL_DETAIL + 1, "level", where);
  check_index(recording.rank, recording.world_size, "rank", where);
  if (!recording.threads.empty()) {
    check_index(recording.main_thread, recording.threads.size(), "main thread", where);
  }
}

void check_labels(const Recording& recording) {
  for (std::size_t i = 0; i < recording.labels.size(); ++i) {
    check_index(recording.labels[i].kind, LOCI_SPAN_KIND_COUNT, "kind",
                [&] { return fmt::format("label {}", i); });
  }
}

void check_threads(const Recording& recording) {
  for (std::size_t t = 0; t < recording.threads.size(); ++t) {
    const Thread& thread = recording.threads[t];
    for (std::size_t i = 0; i < thread.spans.size(); ++i) {
      const Span& span = thread.spans[i];
      const auto where = [&] {
        return fmt::format("thread {} {}: span {}", t, core::quote(thread.name), i);
      };
      check_index(span.label, recording.labels.size(), "label", where);
      check_order(span.begin_ns, span.end_ns, [&] {
        return fmt::format("{} {}", where(), core::quote(recording.labels[span.label].name));
      });
    }
  }
}

void check_device_spans(const Recording& recording) {
  for (std::size_t i = 0; i < recording.device_spans.size(); ++i) {
    const DeviceSpan& span = recording.device_spans[i];
    const auto where = [&] { return fmt::format("device work {}", i); };
    check_index(span.name, recording.texts.size(), "text", where);
    check_index(span.device, recording.devices.size(), "device", where);
    check_index(span.kind, LOCI_DEVICE_WORK_FILL + 1, "kind", where);
    check_index(span.direction, LOCI_COPY_PEER + 1, "direction", where);
    if ((span.graph == 0) != (span.replay == 0)) {
      refuse("{}: graph {}, but replay {}", where(), span.graph, span.replay);
    }
    check_order(span.begin_ns, span.end_ns, [&] {
      return fmt::format("{} {}", where(), core::quote(recording.texts[span.name]));
    });
    const double occupancy = span.geometry.occupancy;
    if (!(occupancy >= 0 && occupancy <= 1)) refuse("{}: occupancy {}", where(), occupancy);
  }
}

void check_rate(const DeviceFacts& device, double rate) {
  if (!(rate >= 0 && std::isfinite(rate))) {
    refuse("device {}: rate {}", core::quote(device.place), rate);
  }
}

void check_devices(const Recording& recording) {
  for (const DeviceFacts& device : recording.devices) {
    for (const double rate : {device.measured_flops, device.measured_bytes, device.described_flops,
                              device.described_bytes}) {
      check_rate(device, rate);
    }
    for (std::size_t i = 0; i < device.levels.size(); ++i) {
      check_rate(device, device.levels[i].bytes);
      if (i > 0 && device.levels[i].call_bytes <= device.levels[i - 1].call_bytes) {
        refuse("device {}: memory level {} is of {} bytes, no more than the one before it",
               core::quote(device.place), i, device.levels[i].call_bytes);
      }
    }
  }
}

void check_memory(const Recording& recording) {
  for (std::size_t i = 0; i < recording.memory_events.size(); ++i) {
    const MemoryEvent& event = recording.memory_events[i];
    const auto where = [&] { return fmt::format("memory event {}", i); };
    check_index(event.name, recording.texts.size(), "text", where);
    check_index(event.place, recording.texts.size(), "text", where);
    if (event.thread != LOCI_PROFILE_NONE) {
      check_index(event.thread, recording.threads.size(), "thread", where);
    }
  }
}

void check_steps(const Recording& recording) {
  for (const StepMark& step : recording.steps) {
    check_order(step.begin_ns, step.end_ns, [&] { return fmt::format("step {}", step.number); });
  }
}

}  // namespace

void check_sound(const Recording& recording) {
  check_counts(recording);
  check_head(recording);
  check_labels(recording);
  check_threads(recording);
  check_devices(recording);
  check_device_spans(recording);
  check_memory(recording);
  check_steps(recording);
}

}  // namespace loci::profiler
