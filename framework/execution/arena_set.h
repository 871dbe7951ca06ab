// The memory of one run's values, in each space and pinned for each device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/execution/frame_memory.h"
#include "framework/execution/plan.h"
#include "framework/memory/allocator.h"
#include "framework/memory/pinned_buffer.h"

namespace loci::execution {

// The arenas that one run at a time works in, whichever plan it runs.
class ArenaSet {
 public:
  // The set adds the bytes it takes to `counted`, which outlives it; null: nobody counts.
  explicit ArenaSet(std::atomic<std::uint64_t>* counted = nullptr) : counted_(counted) {}
  ~ArenaSet();
  ArenaSet(const ArenaSet&) = delete;
  ArenaSet& operator=(const ArenaSet&) = delete;

  // Where the memory of that kind begins, of as many bytes at least. It is elsewhere afterwards,
  // and its contents are lost, if it had to grow. Throws Error(kOutOfMemory), with none of it then.
  char* room_for(const Arena& wanted, FrameMemory& memory);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Room {
    Arena size;
    memory::Buffer buffer;                         // empty if it is pinned
    std::unique_ptr<memory::PinnedBuffer> pinned;  // null if it is not
  };

  Room& room_of(const Arena& kind);
  void free(Room* room);
  void allocate(const Arena& wanted, FrameMemory& memory, Room* room);
  void count(std::uint64_t bytes);

  std::vector<Room> rooms_;  // few
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t>* counted_;
};

}  // namespace loci::execution
