#include "plugins/reporter_nvprof/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"
#include "plugins/report_text/quality.h"
#include "plugins/report_text/text_table.h"

namespace loci::nvprof {
namespace {

using report_text::Align;
using report_text::scaled_time;

struct Row {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = UINT64_MAX;
  std::uint64_t max_ns = 0;
};

// Times by name, names in order of their first time.
class Section {
 public:
  void add(std::string name, std::uint64_t time_ns) {
    const auto [found, inserted] = index_.try_emplace(std::move(name), rows_.size());
    if (inserted) rows_.emplace_back().name = found->first;
    Row& row = rows_[found->second];
    ++row.calls;
    row.total_ns += time_ns;
    row.min_ns = std::min(row.min_ns, time_ns);
    row.max_ns = std::max(row.max_ns, time_ns);
    total_ns_ += time_ns;
  }

  // `nothing` where there are no rows.
  [[nodiscard]] std::string text(std::string_view nothing) const {
    if (rows_.empty()) return fmt::format("{}\n", nothing);
    std::vector<Row> rows = rows_;
    std::stable_sort(rows.begin(), rows.end(), [](const Row& one, const Row& other) {
      return one.total_ns > other.total_ns;
    });
    report_text::TextTable table({{"Time(%)", Align::kRight, 7},
                                  {"Time", Align::kRight, 8},
                                  {"Calls", Align::kRight, 8},
                                  {"Avg", Align::kRight, 8},
                                  {"Min", Align::kRight, 8},
                                  {"Max", Align::kRight, 8},
                                  {"Name", Align::kLeft}});
    for (const Row& row : rows) table.add(cells(row));
    return table.text();
  }

 private:
  [[nodiscard]] std::vector<std::string> cells(const Row& row) const {
    const double share =
        total_ns_ == 0 ? 0 : static_cast<double>(row.total_ns) / static_cast<double>(total_ns_);
    return {fmt::format("{:.2f}%", 100 * share),
            scaled_time(row.total_ns),
            fmt::format("{}", row.calls),
            scaled_time(row.total_ns / row.calls),
            scaled_time(row.min_ns),
            scaled_time(row.max_ns),
            report_text::printable(row.name)};
  }

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> index_;
  std::uint64_t total_ns_ = 0;
};

std::string_view direction_of(const loci_profile_device_span& span) {
  switch (span.direction) {
    case LOCI_COPY_HOST_TO_DEVICE: return " HtoD";
    case LOCI_COPY_DEVICE_TO_HOST: return " DtoH";
    case LOCI_COPY_DEVICE_TO_DEVICE: return " DtoD";
    case LOCI_COPY_PEER: return " PtoP";
    default: return "";
  }
}

// Copies and fills go by what they are, "[CUDA memcpy HtoD]", and without the vendor's word on a
// device of another type: "[memcpy HtoD]".
std::string work_name(const loci_profile& profile, const loci_profile_device_span& span) {
  if (span.kind == LOCI_DEVICE_WORK_KERNEL) return std::string(sdk::to_view(span.name));
  const std::string_view place = sdk::to_view(profile.devices[span.device].place);
  const char* vendor = place.substr(0, place.find(':')) == "cuda" ? "CUDA " : "";
  if (span.kind == LOCI_DEVICE_WORK_FILL) return fmt::format("[{}memset]", vendor);
  return fmt::format("[{}memcpy{}]", vendor, direction_of(span));
}

Section device_work(const loci_profile& profile) {
  Section section;
  for (const loci_profile_device_span& span : sdk::device_spans_of(profile)) {
    section.add(work_name(profile, span), span.end_ns - span.begin_ns);
  }
  return section;
}

Section api_calls(const loci_profile& profile) {
  Section section;
  for (const loci_profile_span& span : sdk::spans_of(profile)) {
    const loci_profile_label& label = profile.labels[span.label];
    // A call that was still open at the end has no time of its own.
    if (label.kind != LOCI_SPAN_CALL || (span.flags & LOCI_SPAN_TRUNCATED) != 0) continue;
    section.add(std::string(sdk::to_view(label.name)), span.end_ns - span.begin_ns);
  }
  return section;
}

}  // namespace

NvprofReporter::NvprofReporter(const sdk::Host&, const sdk::ReporterOptions& options) {
  options.expect({"quality"});
  quality_ = options.shows_quality();
}

void NvprofReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  const std::string prefix = fmt::format("=={}== ", profile.process_id);
  output.write(fmt::format("{}Profiling application: {}\n{}Profiling result:\n{}", prefix,
                           report_text::printable(profile.program), prefix,
                           device_work(profile).text("No kernels were profiled.")));
  output.write(fmt::format("\n{}API calls:\n{}", prefix,
                           api_calls(profile).text("No API activities were profiled.")));
  if (!quality_) return;
  output.write(fmt::format("\n{}Data quality:\n{}", prefix, report_text::quality_lines(profile)));
}

}  // namespace loci::nvprof
