#include "plugins/report_text/figures.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace loci::report_text {
namespace {

struct TimeUnit {
  double nanoseconds;
  std::string_view name;
  int digits;  // significant ones
};
constexpr std::array<TimeUnit, 3> kTimeUnits{{{1e3, "us", 5}, {1e6, "ms", 5}, {1e9, "s", 6}}};

// With trailing zeros, so that 38 us are "38.000us".
std::string with_digits(double value, int digits) {
  // Values are at least 1, and rounding may bring one more digit before the point.
  for (int decimals = digits - 1;; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    const auto shown = static_cast<int>(text.size()) - (decimals > 0 ? 1 : 0);
    if (shown <= digits || decimals == 0) return text;
  }
}

// Without trailing zeros, and never as a power of ten.
std::string three_digits(double value) {
  return value < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string per_second(std::uint64_t count, std::uint64_t nanoseconds, std::string_view unit) {
  if (count == 0 || nanoseconds == 0) return "-";
  const double rate = static_cast<double>(count) / static_cast<double>(nanoseconds);
  return fmt::format("{} {}", three_digits(rate), unit);
}

}  // namespace

std::string scaled_time(std::uint64_t nanoseconds) {
  if (nanoseconds < 1000) return fmt::format("{}ns", nanoseconds);
  const auto time = static_cast<double>(nanoseconds);
  for (const TimeUnit& unit : kTimeUnits) {
    // A time that rounds up to 1000 is 1 of the next unit.
    if (time / unit.nanoseconds >= 999.995 && unit.name != "s") continue;
    return fmt::format("{}{}", with_digits(time / unit.nanoseconds, unit.digits), unit.name);
  }
  return {};
}

std::string scaled_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string throughput(std::uint64_t bytes, std::uint64_t nanoseconds) {
  return per_second(bytes, nanoseconds, "GB/s");
}

std::string speed(std::uint64_t flops, std::uint64_t nanoseconds) {
  return per_second(flops, nanoseconds, "GFLOP/s");
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace loci::report_text
