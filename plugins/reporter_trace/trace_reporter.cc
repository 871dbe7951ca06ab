#include "plugins/reporter_trace/trace_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plugins/report_data/device_lanes.h"
#include "plugins/report_data/json_writer.h"
#include "plugins/report_data/profile_json.h"
#include "plugins/reporter_trace/gzip_stream.h"
#include "plugins/reporter_trace/trace_events.h"
#include "plugins/reporter_trace/trace_tracks.h"
#include "plugins/reporter_trace/trace_window.h"

namespace loci::report {
namespace {

constexpr std::size_t kTextPiece = std::size_t{256} << 10;
// For the parts around the events that are not written yet when the window is chosen.
constexpr std::uint64_t kReserve = 4096;

using Sink = JsonWriter::Sink;

std::string remark(const TraceWindow& selected, const TraceWindow& shown,
                   const TraceSettings& settings) {
  if (shown.end_ns == selected.end_ns) return "";
  return fmt::format("left out: all after {:.3f} ms (max_mb={})",
                     static_cast<double>(shown.end_ns) / 1e6, settings.max_bytes / 1'000'000);
}

// Counts the steps that lie in `window` and are whole there.
std::uint64_t steps_in(const loci_profile& profile, const TraceWindow& window) {
  std::uint64_t count = 0;
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    if (step.begin_ns >= window.begin_ns && step.end_ns <= window.end_ns) ++count;
  }
  return count;
}

std::string other_data(const loci_profile& profile, const TraceSettings& settings,
                       const TraceWindow& selected, const TraceWindow& shown,
                       const TraceCounts& counts) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; });
  json.begin_object();
  write_session(json.key("session"), profile);
  json.key("shown").begin_object();
  json.member("begin_ns", shown.begin_ns).member("end_ns", shown.end_ns).end_object();
  json.key("left_out").begin_object();
  json.member("steps", profile.step_count - steps_in(profile, shown))
      .member("spans", profile.span_count - counts.spans)
      .member("device_spans", profile.device_span_count - counts.device_spans)
      .member("memory_events", profile.memory_event_count - counts.memory_events)
      .member("by_steps", settings.steps.has_value())
      .member("by_size", shown.end_ns != selected.end_ns)
      .member("max_bytes", settings.max_bytes)
      .end_object();
  if (settings.shows_quality) write_quality(json.key("quality"), *profile.quality);
  json.end_object().finish();
  return text;
}

// The whole of `selected` if it fits, else the steps that do, else a part of the first one.
TraceWindow fitting_window(const loci_profile& profile, const TraceEvents& events,
                           const TraceWindow& selected, std::uint64_t budget) {
  SizeByTime by_steps(profile, selected, true);
  SizeByTime by_slices(profile, selected, false);
  std::uint64_t total = 0;
  events.write(selected, [&](std::uint64_t at_ns, std::string_view event) {
    const std::uint64_t size = event.size() + 2;  // with a comma and a line end
    by_steps.add(at_ns, size);
    by_slices.add(at_ns, size);
    total += size;
  });
  if (total <= budget) return selected;
  const TraceWindow steps = by_steps.longest(budget);
  return steps.end_ns > steps.begin_ns ? steps : by_slices.longest(budget);
}

// Collects small pieces.
class Pieces {
 public:
  explicit Pieces(const Sink& sink) : sink_(sink) {}
  void add(std::string_view text) {
    text_ += text;
    if (text_.size() >= kTextPiece) finish();
  }
  void event(std::string_view text) {
    add(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    add(text);
  }
  void finish() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  const Sink& sink_;
  std::string text_;
  bool is_first_ = true;
};

void write_trace(const loci_profile& profile, const TraceSettings& settings, const Sink& sink) {
  const DeviceLanes lanes = device_lanes(profile);
  const TraceEvents events(profile, lanes);
  const TraceTracks tracks(profile, lanes);
  const TraceWindow selected = selected_window(profile, settings.steps);

  std::uint64_t around =
      kReserve + other_data(profile, settings, selected, selected, TraceCounts{}).size();
  tracks.describe([&](std::string_view event) { around += event.size() + 2; }, "");
  const std::uint64_t budget = settings.max_bytes - std::min(settings.max_bytes, around);
  const TraceWindow shown = fitting_window(profile, events, selected, budget);

  Pieces pieces(sink);
  pieces.add(R"({"displayTimeUnit":"ns","traceEvents":[)");
  tracks.describe([&](std::string_view event) { pieces.event(event); },
                  remark(selected, shown, settings));
  const TraceCounts counts =
      events.write(shown, [&](std::uint64_t, std::string_view event) { pieces.event(event); });
  pieces.add("\n],\"otherData\":");
  pieces.add(other_data(profile, settings, selected, shown, counts));
  pieces.add("}\n");
  pieces.finish();
}

}  // namespace

TraceReporter::TraceReporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : settings_(parse_trace_settings(options)) {}

void TraceReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  const Sink plain = [&](std::string_view text) { output.write(text); };
  if (!settings_.gzip) return write_trace(profile, settings_, plain);
  GzipStream gzip(plain);
  write_trace(profile, settings_, [&](std::string_view text) { gzip.write(text); });
  gzip.finish();
}

}  // namespace loci::report
