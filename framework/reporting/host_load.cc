#include "framework/reporting/host_load.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

namespace loci::reporting {
namespace {

// Columns of a line of /proc/stat; those that follow are parts of the first two (see proc(5)).
enum Column : std::size_t { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal, kCount };

// Nothing where the kernel cannot say which processors there are, as on more than CPU_SETSIZE.
std::optional<BusyTicks> busy_now() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return std::nullopt;
  std::ifstream file("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return busy_ticks(text, [&mask](std::uint32_t number) { return CPU_ISSET(number, &mask) != 0; });
}

double own_seconds() {
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

std::optional<BusyTicks> busy_ticks(const std::string& stat,
                                    const std::function<bool(std::uint32_t)>& is_allowed) {
  BusyTicks busy;
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::uint32_t number = 0;
    if (line.rfind("cpu", 0) != 0 || line.rfind("cpu ", 0) == 0) continue;
    words.ignore(3);
    std::array<std::uint64_t, kCount> columns{};
    if (!(words >> number) || !is_allowed(number)) continue;
    for (std::uint64_t& column : columns) words >> column;
    for (const Column column : {kUser, kNice, kSystem, kIrq, kSoftIrq, kSteal}) {
      busy.ticks += columns[column];
    }
    ++busy.processors;
  }
  return busy.processors == 0 ? std::nullopt : std::optional(busy);
}

HostLoad::HostLoad()
    : start_(std::chrono::steady_clock::now()), busy_(busy_now()), own_seconds_(own_seconds()) {}

double HostLoad::others() const {
  const std::optional<BusyTicks> busy = busy_now();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  // Ticks of processors that came or went in between cannot be compared.
  if (!busy || !busy_ || busy->processors != busy_->processors) return 0;
  const double all_seconds =
      static_cast<double>(busy->ticks - std::min(busy->ticks, busy_->ticks)) /
      static_cast<double>(sysconf(_SC_CLK_TCK));
  const double others = all_seconds - (own_seconds() - own_seconds_);
  return std::clamp(others / (passed.count() * busy->processors), 0.0, 1.0);
}

}  // namespace loci::reporting
