#include "plugins/reporter_summary/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string_view>
#include <utility>

#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"
#include "plugins/report_text/text_table.h"

namespace loci::summary {
namespace {

using report_text::Align;
using report_text::percent;
using report_text::scaled_time;

constexpr std::size_t kOperatorNameWidth = 24;
constexpr std::size_t kPlaceWidth = 8;

bool is_operator(std::uint32_t kind) { return kind == LOCI_SPAN_OP || kind == LOCI_SPAN_GRADIENT; }

// Phases and calls of a device's interface are parts of what they are in.
bool is_part(std::uint32_t kind) { return kind == LOCI_SPAN_PHASE || kind == LOCI_SPAN_CALL; }

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

const loci_profile_device* device_at(const loci_profile& profile, std::string_view place) {
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    if (sdk::to_view(device.place) == place) return &device;
  }
  return nullptr;
}

// "12.3 (45 %)": 10^9 per second, and of the peak; "-" where the count or the time is not known.
std::string rate(std::uint64_t count, std::uint64_t time_ns, double peak) {
  if (count == 0 || time_ns == 0) return "-";
  const double giga = static_cast<double>(count) / static_cast<double>(time_ns);
  const std::string text = giga < 999.5 ? fmt::format("{:.3g}", giga) : fmt::format("{:.0f}", giga);
  return peak > 0 ? fmt::format("{} ({:.0f} %)", text, 100 * giga * 1e9 / peak) : text;
}

double peak(double measured, double described) { return measured > 0 ? measured : described; }

std::vector<std::string> cells(const loci_profile& profile, const OperatorTotal& total,
                               std::uint64_t whole_ns) {
  const loci_profile_device* device = device_at(profile, total.place);
  const double flops =
      device == nullptr ? 0 : peak(device->measured_flops, device->described_flops);
  const double call_bytes = static_cast<double>(total.bytes) /
                            static_cast<double>(std::max<std::uint64_t>(total.calls, 1));
  const double bytes = device == nullptr ? 0 : sdk::peak_bytes_of(*device, call_bytes);
  return {report_text::shortened(report_text::printable(total.name), kOperatorNameWidth),
          report_text::shortened(report_text::printable(total.place), kPlaceWidth),
          fmt::format("{}", total.calls),
          scaled_time(total.self_ns),
          percent(total.self_ns, whole_ns),
          total.device_ns == 0 ? "-" : scaled_time(total.device_ns),
          rate(total.flops, total.work_ns, flops),
          rate(total.bytes, total.work_ns, bytes)};
}

std::uint64_t work_ns(const loci_profile& profile, const OperatorTotal& total) {
  if (total.device_ns > 0) return total.device_ns;
  const loci_profile_device* device = device_at(profile, total.place);
  return device != nullptr && device->is_queued != 0 ? 0 : total.self_ns;
}

// Over all threads: what the shares are of.
std::uint64_t all_self_time(const loci_profile& profile) {
  std::uint64_t sum = 0;
  for (const loci_profile_thread& thread : sdk::threads_of(profile)) sum += thread.self_ns;
  return sum;
}

}  // namespace

std::vector<OperatorTotal> operator_totals(const loci_profile& profile) {
  // From spans: a node of the call tree may hold calls at several places.
  const sdk::ProfileArray<loci_profile_span> spans = sdk::spans_of(profile);
  const std::vector<std::uint64_t> own_device = own_device_times(spans);
  std::map<std::pair<std::string_view, std::string_view>, OperatorTotal> totals;
  std::vector<OperatorTotal*> owners(spans.size(), nullptr);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const loci_profile_label& label = profile.labels[spans[i].label];
    if (is_part(label.kind) && spans[i].parent != LOCI_PROFILE_NONE) {
      owners[i] = owners[spans[i].parent];
    } else if (is_operator(label.kind)) {
      OperatorTotal& total = totals[{sdk::to_view(label.name), sdk::to_view(label.place)}];
      owners[i] = &total;
      if ((spans[i].flags & LOCI_SPAN_PART) == 0) {
        ++total.calls;
        total.flops += label.flops;
        total.bytes += label.bytes;
      }
    }
    if (owners[i] == nullptr) continue;
    owners[i]->self_ns += spans[i].self_ns;
    owners[i]->device_ns += own_device[i];
  }
  std::vector<OperatorTotal> result;
  for (auto& [key, total] : totals) {
    total.name = std::string(key.first);
    total.place = std::string(key.second);
    total.work_ns = work_ns(profile, total);
    result.push_back(total);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& one, const auto& other) { return one.self_ns > other.self_ns; });
  return result;
}

void show_operators(const loci_profile& profile, std::size_t rows, Screen& screen) {
  const std::vector<OperatorTotal> totals = operator_totals(profile);
  if (totals.empty()) return;
  const std::size_t shown = std::min(rows, totals.size());
  screen.blank();
  screen.heading(fmt::format("Operators by self time ({} of {})", shown, totals.size()));
  report_text::TextTable table({{"Operator", Align::kLeft},
                                {"Place", Align::kLeft},
                                {"Calls"},
                                {"Self"},
                                {"Share"},
                                {"Device"},
                                {"GFLOP/s"},
                                {"GB/s"}});
  const std::uint64_t whole_ns = all_self_time(profile);
  for (std::size_t i = 0; i < shown; ++i) table.add(cells(profile, totals[i], whole_ns));
  screen.lines(table.text());
}

}  // namespace loci::summary
