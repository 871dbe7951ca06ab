// Going through the segments of a region with the team.
#pragma once

#include <loci/abi/kernels.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "framework/execution/core_forks.h"

namespace loci::execution {

// Each thread has a track, and none waits for a thread that the system does not run: a segment that
// nobody has begun is begun by who needs it, whichever track it is of. Used by one run at a time.
class CoreWalk {
 public:
  class Segments {
   public:
    virtual ~Segments() = default;
    // Does the launches of one; within a loop of the team, so that kernels keep to one thread.
    virtual void run(const CoreSegment& segment, CoreWalk& walk) noexcept = 0;
  };

  // The forks outlive it.
  explicit CoreWalk(const CoreForks& forks);
  ~CoreWalk();
  CoreWalk(const CoreWalk&) = delete;
  CoreWalk& operator=(const CoreWalk&) = delete;

  // Runs a region with tracks. Returns once all of it has ended.
  void run(const CoreRegion& region, Segments& segments) noexcept;

  // While one runs: whether the instruction is to be launched. Those behind one that failed are
  // not, and those before it are, so that the first failure is the one that there is without forks.
  [[nodiscard]] bool is_wanted(std::uint32_t instruction) const noexcept {
    return instruction < failed_.load(std::memory_order_relaxed);
  }
  // Takes the error.
  void fail(std::uint32_t instruction, loci_error* error) noexcept;

  // The latest region's first instruction that failed, and its error, which is then the caller's.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Failure {
    std::uint32_t instruction = kNone;
    loci_error* error = nullptr;
  };
  [[nodiscard]] Failure take_failure() noexcept;

 private:
  // Twice the segments that have ended, and one more while the next one runs. On two lines:
  // processors fetch them in pairs.
  struct alignas(128) Track {
    std::atomic<std::uint32_t> state{0};
  };

  static void walk(void* self, std::int64_t first, std::int64_t last, std::uint32_t worker);
  void walk(std::uint32_t track) noexcept;
  [[nodiscard]] const CoreNeed* missing(const CoreSegment& segment) const noexcept;
  void obtain(const CoreNeed& need) noexcept;
  bool run_earliest() noexcept;
  bool try_run(std::uint32_t track, std::uint32_t seen) noexcept;
  void await_change(std::uint32_t track, std::uint32_t seen) const noexcept;

  const CoreForks& forks_;
  std::unique_ptr<Track[]> tracks_;
  const CoreRegion* region_ = nullptr;
  Segments* segments_ = nullptr;
  std::atomic<std::uint32_t> failed_{kNone};
  std::atomic_flag failing_;  // who writes the failure
  Failure failure_;
};

}  // namespace loci::execution
