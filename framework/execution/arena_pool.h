// The arenas that no run has, of all plans of an executor.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "framework/core/thread_shard.h"

namespace loci::execution {

class ArenaSet;

// Keeps as many sets as there were runs at the same time. Thread-safe.
class ArenaPool {
 public:
  // The sets add the bytes they take to `counted`.
  explicit ArenaPool(std::atomic<std::uint64_t>* counted);
  ~ArenaPool();
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  // For one run. A thread that runs the same again has the one that it gave back, so that its
  // addresses are the same.
  std::unique_ptr<ArenaSet> take();
  // Once nothing is at work in it.
  void give(std::unique_ptr<ArenaSet> set);
  // Frees those that no run has and that take more.
  void drop_above(std::uint64_t bytes);

 private:
  // Two lines: processors fetch them in pairs.
  struct alignas(128) Idle {
    std::atomic<ArenaSet*> set{nullptr};

    std::unique_ptr<ArenaSet> exchange(ArenaSet* other);
  };

  using Sets = std::vector<std::unique_ptr<ArenaSet>>;

  std::unique_ptr<ArenaSet> take_from_stack();

  std::atomic<std::uint64_t>* counted_;
  // One for each shard of threads, so that those that run at the same time do not meet.
  std::array<Idle, core::kShards> idle_;
  std::mutex mutex_;
  Sets stack_;  // of runs within runs
};

}  // namespace loci::execution
