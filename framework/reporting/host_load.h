// How much of the host's processors others took while something was measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace loci::reporting {

// The work of processors since the system was started.
struct BusyTicks {
  std::uint64_t ticks = 0;  // in which they did anything; sysconf(_SC_CLK_TCK) of them are a second
  std::uint32_t processors = 0;
};
// Sums up ticks of processors that count, from /proc/stat's text: its lines "cpu0 ...", "cpu1 ...".
// Nothing if there is no such line.
std::optional<BusyTicks> busy_ticks(const std::string& stat,
                                    const std::function<bool(std::uint32_t)>& is_allowed);

// From its construction on.
class HostLoad {
 public:
  HostLoad();

  // The share of those processors' time that other processes took, and what a hypervisor took from
  // this machine; in [0, 1]. Good to about a hundredth after a second. 0 where the system does not
  // tell.
  [[nodiscard]] double others() const;

 private:
  std::chrono::steady_clock::time_point start_;
  std::optional<BusyTicks> busy_;
  double own_seconds_;
};

}  // namespace loci::reporting
