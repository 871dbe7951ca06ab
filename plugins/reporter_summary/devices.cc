#include "plugins/reporter_summary/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/report_text/figures.h"
#include "plugins/report_text/printable.h"
#include "plugins/report_text/text_table.h"

namespace loci::summary {
namespace {

using report_text::Align;
using report_text::printable;
using report_text::scaled_time;

constexpr std::size_t kCauses = 3;
constexpr std::size_t kNames = 3;
constexpr std::size_t kTensorNameWidth = 30;

struct PlaceTotal {
  std::string place;
  std::uint64_t busy_ns = 0;
  std::array<std::uint64_t, kCauses> gap_ns{};
  std::uint64_t peak_bytes = 0;
};

// Devices in their order, then further places of memory.
std::vector<PlaceTotal> place_totals(const loci_profile& profile) {
  std::vector<PlaceTotal> totals;
  std::map<std::string_view, std::size_t> index;
  for (const loci_profile_device& device : sdk::devices_of(profile)) {
    index.emplace(sdk::to_view(device.place), totals.size());
    PlaceTotal& total = totals.emplace_back();
    total.place = printable(device.place);
    total.busy_ns = device.busy_ns;
  }
  for (const loci_profile_gap& gap : sdk::gaps_of(profile)) {
    if (gap.cause < kCauses) totals[gap.device].gap_ns[gap.cause] += gap.end_ns - gap.begin_ns;
  }
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    const std::string_view place = sdk::to_view(profile.tensors[event.tensor].place);
    const auto [found, inserted] = index.try_emplace(place, totals.size());
    if (inserted) totals.emplace_back().place = printable(place);
    std::uint64_t& peak = totals[found->second].peak_bytes;
    peak = std::max(peak, event.in_use);
  }
  return totals;
}

std::string time_or_dash(std::uint64_t time_ns) {
  return time_ns == 0 ? "-" : scaled_time(time_ns);
}

std::vector<std::string> cells(const PlaceTotal& total, std::uint64_t wall_ns) {
  return {report_text::shortened(total.place, 10),
          time_or_dash(total.busy_ns),
          report_text::percent(total.busy_ns, wall_ns),
          time_or_dash(total.gap_ns[LOCI_GAP_HOST_LATE]),
          time_or_dash(total.gap_ns[LOCI_GAP_WAITS_FOR_COPY]),
          time_or_dash(total.gap_ns[LOCI_GAP_WAITS_FOR_DEVICE]),
          total.peak_bytes == 0 ? "-" : report_text::scaled_bytes(total.peak_bytes)};
}

// "Most memory: weights 5.59 GiB (cpu), ..."; the profile has the names by their peaks.
std::string largest(const loci_profile& profile) {
  std::string text;
  for (const loci_profile_tensor& tensor : sdk::tensors_of(profile)) {
    if (&tensor == profile.tensors + kNames) break;
    const std::string name = report_text::shortened(printable(tensor.name), kTensorNameWidth);
    text += fmt::format("{}{} {} ({})", text.empty() ? "Most memory: " : ", ",
                        name.empty() ? "(no name)" : name,
                        report_text::scaled_bytes(tensor.peak_bytes), printable(tensor.place));
  }
  return text;
}

}  // namespace

void show_devices(const loci_profile& profile, std::size_t rows, Screen& screen) {
  const std::vector<PlaceTotal> totals = place_totals(profile);
  if (totals.empty()) return;
  const std::size_t shown = std::min(rows, totals.size());
  screen.blank();
  screen.heading(fmt::format("Devices ({} of {}), and why they were idle between works", shown,
                             totals.size()));
  report_text::TextTable table({{"Place", Align::kLeft},
                                {"Busy"},
                                {"of wall"},
                                {"Host late"},
                                {"Awaits copy"},
                                {"Awaits device"},
                                {"Memory peak"}});
  for (std::size_t i = 0; i < shown; ++i) table.add(cells(totals[i], profile.wall_ns));
  screen.lines(table.text());
  const std::string names = largest(profile);
  if (!names.empty()) screen.line(names);
}

}  // namespace loci::summary
