#include "tests/soak/memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace loci::soak {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
// The tolerance is a part of the figure; samples of a process at rest differ by less.
constexpr double kTolerance = 0.02;
constexpr double kLeastBytes = 4 * kMiB;
constexpr double kLeastResident = 16 * kMiB;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void MemoryUse::use_one_arena() { mallopt(M_ARENA_MAX, 1); }

void MemoryUse::sample() {
  malloc_trim(0);
  const struct mallinfo2 info = mallinfo2();
  add(info.uordblks + info.hblkhd, resident_bytes());
}

void MemoryUse::add(std::uint64_t heap_bytes, std::uint64_t resident) {
  samples_.push_back({static_cast<double>(heap_bytes), static_cast<double>(resident)});
}

std::vector<MemoryUse::Sample> MemoryUse::settled() const {
  const auto first = samples_.begin() + static_cast<std::ptrdiff_t>((samples_.size() + 2) / 3);
  return {first, samples_.end()};
}

// Least squares over the numbers of the cycles.
double MemoryUse::heap_growth_per_cycle() const {
  const std::vector<Sample> kept = settled();
  const auto count = static_cast<double>(kept.size());
  if (kept.size() < 2) return 0;
  const double middle = (count - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    products += x * kept[i].heap;
    squares += x * x;
  }
  return products / squares;
}

bool MemoryUse::is_flat() const {
  const std::vector<Sample> kept = settled();
  if (kept.size() < 2) return true;
  const double grown = heap_growth_per_cycle() * static_cast<double>(kept.size() - 1);
  const double allowed = std::max(kLeastBytes, kTolerance * kept.front().heap);
  const double resident = kept.back().resident - kept.front().resident;
  // Some of the freed bytes stay resident: pages that one small block still holds.
  const double allowed_resident = std::max(kLeastResident, 5 * kTolerance * kept.front().resident);
  return grown <= allowed && resident <= allowed_resident;
}

std::string MemoryUse::report() const {
  const std::vector<Sample> kept = settled();
  if (kept.empty()) return "memory: no sample";
  return fmt::format(
      "memory: heap {:.1f} to {:.1f} MiB over {} cycles, {:+.1f} KiB a cycle; resident {:.1f} to "
      "{:.1f} MiB",
      kept.front().heap / kMiB, kept.back().heap / kMiB, kept.size(),
      heap_growth_per_cycle() / 1024.0, kept.front().resident / kMiB, kept.back().resident / kMiB);
}

}  // namespace loci::soak
