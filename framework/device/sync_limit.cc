#include "framework/device/sync_limit.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "framework/core/config.h"
#include "framework/core/environment.h"

namespace loci::device {
namespace {

using Clock = std::chrono::steady_clock;

// Most waits are short; one of seconds may be told of a little late.
constexpr std::chrono::microseconds kSpin{50};
constexpr std::chrono::microseconds kLongestPause{500};

constexpr int kSecondsBits = 32;  // a day has fewer
constexpr std::uint64_t kSecondsMask = (std::uint64_t{1} << kSecondsBits) - 1;

// The seconds, and above them the revision of the configuration that they are of: in one word, so
// that a wait takes no lock.
std::atomic<std::uint64_t> kept{0};

std::uint64_t limit_seconds() {
  const std::uint64_t revision = core::config_revision();
  std::uint64_t word = kept.load(std::memory_order_relaxed);
  if (word >> kSecondsBits != revision) {
    word = (revision << kSecondsBits) | core::configured_number("SYNC_TIMEOUT").value_or(0);
    kept.store(word, std::memory_order_relaxed);
  }
  return word & kSecondsMask;
}

}  // namespace

std::optional<std::chrono::seconds> sync_limit() {
  const std::uint64_t seconds = limit_seconds();
  if (seconds == 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

bool wait_until(const std::function<bool()>& is_done, std::chrono::nanoseconds limit) {
  const Clock::time_point begin = Clock::now();
  std::chrono::microseconds pause{1};
  while (!is_done()) {
    const Clock::duration waited = Clock::now() - begin;
    if (waited >= limit) return false;
    if (waited < kSpin) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  return true;
}

}  // namespace loci::device
