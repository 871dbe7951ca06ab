#include "framework/profiler/stat_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "framework/core/quote.h"

namespace loci::profiler {
namespace {

std::string milliseconds(std::uint64_t microseconds) {
  return fmt::format("{:g}", static_cast<double>(microseconds) * 0.001);
}

}  // namespace

std::string stat_line(const std::string& name, const StatTotals& totals) {
  const std::uint64_t total = totals.total_ns / 1000;
  return fmt::format("Stat={:<30} total={:<10} avg={:<10} max={:<10} min={:<10} count={:<10}",
                     core::one_line(name), milliseconds(total), milliseconds(total / totals.count),
                     milliseconds(totals.max_ns / 1000), milliseconds(totals.min_ns / 1000),
                     totals.count);
}

std::string stat_lines(const std::map<std::string, StatTotals>& totals) {
  std::string text = "======= StatSet: [GlobalStatInfo] status ======\n";
  for (const auto& [name, one] : totals) text.append(stat_line(name, one)).append("\n");
  return text.append(50, '-').append("\n");
}

}  // namespace loci::profiler
