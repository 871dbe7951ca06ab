#include "tools/loci/quantity.h"

#include <fmt/format.h>

#include <array>

namespace loci::runner {

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kStep = 1024;
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (amount >= kStep && unit + 1 < kUnits.size()) {
    amount /= kStep;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string duration_text(double microseconds) {
  constexpr double kMillisecond = 1e3;
  constexpr double kSecond = 1e6;
  if (microseconds < kMillisecond) return fmt::format("{:.1f} µs", microseconds);
  if (microseconds < kSecond) return fmt::format("{:.2f} ms", microseconds / kMillisecond);
  return fmt::format("{:.2f} s", microseconds / kSecond);
}

}  // namespace loci::runner
