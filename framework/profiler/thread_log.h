// A log of what one thread records.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/profiler/chunk.h"

namespace loci::profiler {

// Scopes within so many others are not recorded.
inline constexpr std::uint32_t kMostDepth = 64;

// Records of one thread, by epoch: a number that each period of recording gets, never 0. Written by
// its thread; what others read while it runs is atomic or under the mutex.
class ThreadLog {
 public:
  // Makes the calling thread's. With `recycles`, the oldest chunk makes room if the pool has none.
  ThreadLog(ChunkPool& pool, const std::atomic<bool>& recycles);
  ~ThreadLog();
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  // These three are for its own thread. open() begins a scope now.
  void open(std::uint32_t epoch, LabelId label, std::uint64_t correlation) noexcept;
  // Changes the label of the innermost scope.
  void relabel(LabelId label, std::uint64_t correlation) noexcept;
  // Ends the innermost scope at `end`; with `keep` it leaves a record.
  void close(std::uint64_t end, std::uint16_t flags, bool keep) noexcept;
  // A record without a scope.
  void write(std::uint32_t epoch, const Record& record) noexcept;

  // The rest is for any thread.
  //
  // Takes the records of an epoch that is over; a scope that is still open becomes one that ends at
  // `now`, truncated. What other epochs left is dropped.
  std::vector<Record> take(std::uint32_t epoch, std::uint64_t now);
  // How many were lost for want of room: scopes, and records without one.
  struct Dropped {
    std::uint64_t scopes = 0;
    std::uint64_t others = 0;
  };
  [[nodiscard]] Dropped dropped(std::uint32_t epoch) const noexcept;
  // Lets go of full chunks whose last record ended before `oldest`.
  void forget_before(std::uint64_t oldest);

  [[nodiscard]] std::uint64_t os_id() const noexcept { return os_id_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The thread has ended: nothing more will come.
  void end() noexcept { ended_.store(true, std::memory_order_release); }
  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }

 private:
  struct Open {
    std::atomic<std::uint64_t> begin{0};
    std::atomic<std::uint64_t> correlation{0};
    std::atomic<LabelId> label{0};
  };

  void enter(std::uint32_t epoch) noexcept;
  void append(const Record& record, std::atomic<std::uint64_t>& dropped) noexcept;
  // Replaces the full chunk; false when there is no other.
  bool next_chunk() noexcept;
  void take_open(std::uint64_t now, std::vector<Record>& records) const;

  ChunkPool& pool_;
  const std::atomic<bool>& recycles_;
  std::uint64_t os_id_;
  std::string name_;
  std::mutex mutex_;  // of the chunks as objects, not of what is in the current one
  std::unique_ptr<Chunk> current_;
  std::deque<std::unique_ptr<Chunk>> full_;  // the oldest first
  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint64_t> dropped_scopes_{0};
  std::atomic<std::uint64_t> dropped_others_{0};
  std::atomic<std::uint32_t> depth_{0};
  std::atomic<bool> ended_{false};
  std::array<Open, kMostDepth> open_;
};

}  // namespace loci::profiler
