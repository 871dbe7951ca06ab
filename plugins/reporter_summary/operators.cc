#include "plugins/reporter_summary/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/reporter.hpp>
#include <string_view>
#include <vector>

#include "plugins/report_data/time_rows.h"
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

const loci_profile_device* device_at(const loci_profile& profile, std::string_view place) {
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    if (sdk::to_view(device.place) == place) return &device;
  }
  return nullptr;
}

// "12.3 (45 %)": 10^9 per second, and of the peak, which an operator may exceed that counts more
// than its kernel does, or computes in another precision: "12.3 (> peak)"; "-" where the count or
// the time is not known.
std::string rate(std::uint64_t count, std::uint64_t time_ns, double peak) {
  if (count == 0 || time_ns == 0) return "-";
  const double giga = static_cast<double>(count) / static_cast<double>(time_ns);
  const std::string text = giga < 999.5 ? fmt::format("{:.3g}", giga) : fmt::format("{:.0f}", giga);
  if (peak <= 0) return text;
  const double share = giga * 1e9 / peak;
  return share > 1 ? text + " (> peak)" : fmt::format("{} ({:.0f} %)", text, 100 * share);
}

double peak(double measured, double described) { return measured > 0 ? measured : described; }

std::vector<std::string> cells(const loci_profile& profile, const report::TimeRow& total,
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
          scaled_time(total.host_ns),
          percent(total.host_ns, whole_ns),
          total.device_ns == 0 ? "-" : scaled_time(total.device_ns),
          rate(total.flops, total.work_ns, flops),
          rate(total.bytes, total.work_ns, bytes)};
}

// Over all threads: what the shares are of.
std::uint64_t all_self_time(const loci_profile& profile) {
  std::uint64_t sum = 0;
  for (const loci_profile_thread& thread : sdk::threads_of(profile)) sum += thread.self_ns;
  return sum;
}

}  // namespace

void show_operators(const loci_profile& profile, std::size_t rows, Screen& screen) {
  const std::vector<report::TimeRow> totals = report::time_rows(profile);
  if (totals.empty()) return;
  const std::size_t shown = std::min(rows, totals.size());
  screen.blank();
  screen.heading(fmt::format("Host time by operator and part of the framework ({} of {})", shown,
                             totals.size()));
  report_text::TextTable table({{"Name", Align::kLeft},
                                {"Place", Align::kLeft},
                                {"Calls"},
                                {"Host"},
                                {"Share"},
                                {"Device"},
                                {"GFLOP/s"},
                                {"GB/s"}});
  const std::uint64_t whole_ns = all_self_time(profile);
  for (std::size_t i = 0; i < shown; ++i) table.add(cells(profile, totals[i], whole_ns));
  screen.lines(table.text());
}

}  // namespace loci::summary
