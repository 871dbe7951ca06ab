#include "tools/cuda_double/driver/kernel_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace loci::cuda_double {
namespace {

constexpr double kSectorBytes = 32;

// "-" where there is nothing to compare with.
std::string ratio(double value, double of) {
  return of == 0 ? "-" : fmt::format("{:.2f}", value / of);
}

}  // namespace

void KernelCounters::add(const std::string& kernel, const Counters& counters) {
  const std::lock_guard lock(mutex_);
  Sum& sum = sums_[kernel];
  ++sum.launches;
  sum.instructions += counters.lane_instructions;
  sum.bytes_read += counters.global_bytes_read;
  sum.bytes_written += counters.global_bytes_written;
  sum.sectors += counters.global_sectors;
  sum.shared_requests += counters.shared_requests;
  sum.shared_conflicts += counters.shared_conflicts;
}

std::string KernelCounters::table() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, Sum>> rows(sums_.begin(), sums_.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.instructions > b.second.instructions;
  });
  std::string text =
      fmt::format("{:>9} {:>15} {:>14} {:>14} {:>8} {:>7}  {}\n", "launches", "instructions",
                  "bytes read", "written", "sectors", "shared", "kernel");
  for (const auto& [kernel, sum] : rows) {
    const auto bytes = static_cast<double>(sum.bytes_read + sum.bytes_written);
    const auto passes = static_cast<double>(sum.shared_requests + sum.shared_conflicts);
    text += fmt::format("{:>9} {:>15} {:>14} {:>14} {:>8} {:>7}  {}\n", sum.launches,
                        sum.instructions, sum.bytes_read, sum.bytes_written,
                        ratio(static_cast<double>(sum.sectors) * kSectorBytes, bytes),
                        ratio(passes, static_cast<double>(sum.shared_requests)), kernel);
  }
  return text;
}

void KernelCounters::write(const std::string& path) const {
  const std::string text = table();
  std::FILE* const file = std::fopen(path.c_str(), "w");
  bool is_written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) is_written = std::fclose(file) == 0 && is_written;
  if (!is_written) {
    fmt::print(stderr, "[cuda double] counters cannot be written to '{}': {}\n", path,
               std::strerror(errno));
  }
}

}  // namespace loci::cuda_double
