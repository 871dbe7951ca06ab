// What a stream was given lately: when its context fails, what failed is among it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace loci::cuda {

// The driver tells that something has failed, and not what. Work of a stream ends in order, so that
// it is none of what came before a wait that went well. Thread-safe; a launch costs a lock that
// hardly anybody else takes.
class RecentLaunches {
 public:
  struct Launch {
    std::string_view op;  // "softmax"; STATIC
    std::uint64_t correlation = 0;
  };
  struct Unproven {
    std::uint64_t count = 0;
    std::vector<Launch> latest;  // of those, oldest first; kKept at most
  };

  void note(std::string_view op, std::uint64_t correlation) {
    const std::lock_guard lock(mutex_);
    ring_[enqueued_++ % kKept] = {op, correlation};
  }
  // How many there were so far.
  [[nodiscard]] std::uint64_t enqueued() const {
    const std::lock_guard lock(mutex_);
    return enqueued_;
  }
  // The first `count` have ended well.
  void prove(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    if (proven_ < count) proven_ = count;
  }
  [[nodiscard]] Unproven unproven() const {
    const std::lock_guard lock(mutex_);
    Unproven found{enqueued_ - proven_, {}};
    const std::uint64_t oldest = enqueued_ < kKept ? 0 : enqueued_ - kKept;
    for (std::uint64_t i = oldest < proven_ ? proven_ : oldest; i < enqueued_; ++i) {
      found.latest.push_back(ring_[i % kKept]);
    }
    return found;
  }

 private:
  static constexpr std::size_t kKept = 32;

  mutable std::mutex mutex_;
  std::array<Launch, kKept> ring_{};
  std::uint64_t enqueued_ = 0;
  std::uint64_t proven_ = 0;
};

}  // namespace loci::cuda
