#include "plugins/reporter_summary/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"
#include "plugins/report_text/text_table.h"

namespace loci::summary {
namespace {

using report_text::Align;
using report_text::printable;
using report_text::scaled_time;

constexpr std::size_t kReasonWidth = 20;
constexpr std::size_t kRouteWidth = 22;

struct CopyTotal {
  std::string reason;
  std::string route;  // "cpu -> sim:0"
  std::uint64_t calls = 0;
  std::uint64_t waited = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host_ns = 0;
  std::uint64_t device_ns = 0;
};

std::vector<CopyTotal> copy_totals(const loci_profile& profile) {
  std::map<std::pair<std::string, std::string>, CopyTotal> totals;
  for (const loci_profile_copy& copy : sdk::copies_of(profile)) {
    const loci_profile_label& label = profile.labels[copy.label];
    const std::string reason = printable(label.reason);
    const std::string route =
        fmt::format("{} -> {}", printable(label.source), printable(label.target));
    CopyTotal& total = totals[{reason, route}];
    total.reason = reason;
    total.route = route;
    total.calls += copy.calls;
    total.waited += copy.waited;
    total.bytes += copy.bytes;
    total.host_ns += copy.host_ns;
    total.device_ns += copy.device_ns;
  }
  std::vector<CopyTotal> result;
  for (auto& entry : totals) result.push_back(std::move(entry.second));
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& one, const auto& other) { return one.bytes > other.bytes; });
  return result;
}

std::vector<std::string> cells(const CopyTotal& total) {
  const std::uint64_t time = total.device_ns > 0 ? total.device_ns : total.host_ns;
  return {report_text::shortened(total.reason, kReasonWidth),
          report_text::shortened(total.route, kRouteWidth),
          fmt::format("{}", total.calls),
          fmt::format("{}", total.waited),
          report_text::scaled_bytes(total.bytes),
          scaled_time(total.host_ns),
          total.device_ns == 0 ? "-" : scaled_time(total.device_ns),
          report_text::throughput(total.bytes, time)};
}

}  // namespace

void show_copies(const loci_profile& profile, std::size_t rows, Screen& screen) {
  const std::vector<CopyTotal> totals = copy_totals(profile);
  if (totals.empty()) return;
  const std::size_t shown = std::min(rows, totals.size());
  screen.blank();
  screen.heading(fmt::format("Copies by reason ({} of {})", shown, totals.size()));
  report_text::TextTable table({{"Reason", Align::kLeft},
                                {"Route", Align::kLeft},
                                {"Calls"},
                                {"Waited"},
                                {"Bytes"},
                                {"Host"},
                                {"Device"},
                                {"Speed"}});
  for (std::size_t i = 0; i < shown; ++i) table.add(cells(totals[i]));
  screen.lines(table.text());
}

}  // namespace loci::summary
