// How long launches take, measured in the first runs of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace loci::execution {

// The times of a plan's launches, by all of its frames, or of a captured graph's. Thread-safe.
class LaunchTimes {
 public:
  // True if the next run is one to measure: a few, but for the first, with and without the team.
  [[nodiscard]] bool is_wanted() noexcept {
    return !is_complete_.load(std::memory_order_relaxed) && has_run_.exchange(true);
  }
  // Calls launch(i) for each of so many in order, with the time of each. Throws what that throws.
  void measure(std::size_t count, const std::function<void(std::size_t)>& launch);
  // True once, for one caller, when enough were measured.
  [[nodiscard]] bool take_ready() noexcept {
    return is_ready_.load(std::memory_order_relaxed) && is_ready_.exchange(false);
  }

  struct Launch {
    std::uint64_t ns = 0;        // the least, with the team
    std::uint64_t alone_ns = 0;  // the least, without
    bool uses_team = false;      // ever
  };
  // In order.
  [[nodiscard]] std::vector<Launch> launches() const;

 private:
  [[nodiscard]] bool is_next_alone() const;
  void add(const std::vector<Launch>& launches, bool is_alone);

  static constexpr std::uint64_t kRuns = 4;  // of either kind

  std::atomic<bool> has_run_{false};  // the first makes what later ones find
  std::atomic<bool> is_complete_{false};
  std::atomic<bool> is_ready_{false};
  mutable std::mutex mutex_;
  std::vector<Launch> launches_;
  std::uint64_t alone_runs_ = 0;
  std::uint64_t team_runs_ = 0;
};

}  // namespace loci::execution
