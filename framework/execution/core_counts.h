// How often launches were done beside each other, for reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "framework/execution/core_choice.h"

namespace loci::execution {

// Thread-safe.
class CoreCounts {
 public:
  struct Told {
    std::uint64_t forked_runs = 0;
    std::uint64_t plain_runs = 0;
    std::uint64_t forked_ns = 0;  // medians of the latest turns, of one run; 0 before
    std::uint64_t plain_ns = 0;
  };
  void note(const CoreChoice& choice, bool forks) noexcept {
    ++(forks ? forked_runs_ : plain_runs_);
    plain_ns_.store(choice.plain_ns(), std::memory_order_relaxed);
    forked_ns_.store(choice.forked_ns(), std::memory_order_relaxed);
  }
  [[nodiscard]] Told told() const noexcept {
    return {forked_runs_.load(), plain_runs_.load(), forked_ns_.load(), plain_ns_.load()};
  }

 private:
  std::atomic<std::uint64_t> forked_runs_{0};
  std::atomic<std::uint64_t> plain_runs_{0};
  std::atomic<std::uint64_t> forked_ns_{0};
  std::atomic<std::uint64_t> plain_ns_{0};
};

// "threads share 40 launches in 12 pieces: 100 runs, 8 without that; 11.3 us instead of 17.1".
[[nodiscard]] std::string cores_text(std::uint64_t launches, std::uint64_t pieces,
                                     const CoreCounts::Told& told);

}  // namespace loci::execution
