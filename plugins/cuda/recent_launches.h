// The work that a stream was given lately: when its context fails, what failed is among it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace loci::cuda {

// The driver tells that something has failed, and not what. Work of a stream ends in order, so that
// it is none of what came before a wait that went well. One thread at a time notes, as one at a
// time uses a stream; any may ask and prove meanwhile. A launch costs a few stores, and no lock.
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
    const std::uint64_t index = enqueued_.load(std::memory_order_relaxed);
    begun_.store(index + 1, std::memory_order_relaxed);
    ring_[index % kKept].store({op, correlation});
    enqueued_.store(index + 1, std::memory_order_release);
  }
  // How many there were so far.
  [[nodiscard]] std::uint64_t enqueued() const { return enqueued_.load(std::memory_order_acquire); }
  // The first `count` have ended well.
  void prove(std::uint64_t count) {
    std::uint64_t proven = proven_.load(std::memory_order_relaxed);
    while (proven < count &&
           !proven_.compare_exchange_weak(proven, count, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] Unproven unproven() const {
    const std::uint64_t proven = proven_.load(std::memory_order_relaxed);
    const std::uint64_t enqueued = this->enqueued();
    if (enqueued <= proven) return {};
    Unproven found{enqueued - proven, {}};
    const std::uint64_t oldest = enqueued < kKept ? 0 : enqueued - kKept;
    const std::uint64_t first = oldest < proven ? proven : oldest;
    for (std::uint64_t i = first; i < enqueued; ++i) {
      found.latest.push_back(ring_[i % kKept].load());
    }
    leave_out_overwritten(first, found.latest);
    return found;
  }

 private:
  static constexpr std::size_t kKept = 32;

  // In parts, since nobody may read it while it is written: whoever sees a part of it sees also
  // that it was begun.
  class Slot {
   public:
    void store(const Launch& launch) {
      name_.store(launch.op.data(), std::memory_order_release);
      length_.store(launch.op.size(), std::memory_order_release);
      correlation_.store(launch.correlation, std::memory_order_release);
    }
    [[nodiscard]] Launch load() const {
      const char* name = name_.load(std::memory_order_acquire);
      const std::size_t length = length_.load(std::memory_order_acquire);
      return {{name, length}, correlation_.load(std::memory_order_acquire)};
    }

   private:
    std::atomic<const char*> name_{nullptr};
    std::atomic<std::size_t> length_{0};
    std::atomic<std::uint64_t> correlation_{0};
  };

  // Leaves out what was read from `first` on and has been overwritten since, in parts maybe.
  void leave_out_overwritten(std::uint64_t first, std::vector<Launch>& launches) const {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun <= first + kKept) return;
    const auto lost = static_cast<std::ptrdiff_t>(
        begun - kKept - first < launches.size() ? begun - kKept - first : launches.size());
    launches.erase(launches.begin(), launches.begin() + lost);
  }

  std::array<Slot, kKept> ring_;
  std::atomic<std::uint64_t> begun_{0};     // with the one that is being noted
  std::atomic<std::uint64_t> enqueued_{0};  // all of them noted
  std::atomic<std::uint64_t> proven_{0};
};

}  // namespace loci::cuda
