// A loop whose ranges several threads take.
//
// The items are cut into ranges, a few for each member. Each member has a home: ranges that lie
// side by side, which it takes from the front, so that the same items of loop after loop meet the
// same cache. Once its own are gone it takes others' from the back. So a member that comes late, or
// never because the processor is busy, costs what it has begun and no more: the caller does the
// rest.
//
// A loop object is used again and again, and its memory never goes: a thread may look at it at any
// time. What a thread reads before it is a member is only the state.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "framework/core/thread_team.h"

namespace loci::core {

class TeamLoop {
 public:
  static constexpr std::uint32_t kMostMembers = 256;
  // Ranges that a member has at home. More share the work more evenly and cost an atomic step each.
  static constexpr std::int64_t kRangesEach = 4;

  // For the calling thread alone, until it closes it; whether it was free.
  bool claim() noexcept;

  struct Work {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t grain;  // items of a range at least
    RangeBody body;
    void* context;
  };
  // Opens a claimed loop to `members`, the caller one of them; members in [2, kMostMembers].
  void open(const Work& work, std::uint32_t members) noexcept;

  // The caller, member 0, takes ranges until there are none, and closes the loop once every range
  // is done. A member that has none left may still be about to leave. Returns true if anybody
  // joined.
  bool run() noexcept;

  // Another thread joins the loop; false if there was no seat. Returns once there is no range left
  // to take, or between two ranges once `goes_on` says no.
  bool join(bool (*goes_on)() noexcept) noexcept;
  // Returns true if join() would have a seat now.
  [[nodiscard]] bool has_seat() const noexcept;

  // In the child of a fork(), which has one thread.
  void begin_again() noexcept;

 private:
  // [begin, end) of the ranges that are left of a home, in one word, so that front and back are
  // taken by one step.
  struct alignas(64) Home {
    std::atomic<std::uint64_t> left{0};
  };

  // The fields of state_: whether threads may join, free seats, and threads that are within.
  static constexpr std::uint32_t kOpen = 1U << 31;
  static constexpr std::uint32_t kSeat = 1U << 16;
  static constexpr std::uint32_t kSeats = 0x7fff'0000U;
  static constexpr std::uint32_t kWithin = 0xffffU;
  // A bit of undone_, besides the number of ranges: the caller sleeps until they are done.
  static constexpr std::uint32_t kAwaited = 1U << 31;

  template <class GoesOn>
  void work(std::uint32_t member, const GoesOn& goes_on) noexcept;
  void do_range(std::uint32_t range, std::uint32_t member) const noexcept;
  void finish(std::uint32_t ranges) noexcept;
  void await_others() noexcept;

  alignas(64) std::atomic<std::uint32_t> state_{0};
  alignas(64) std::atomic<std::uint32_t> undone_{0};
  // Written while nobody but the caller is within.
  Work work_{};
  std::uint32_t members_ = 0;
  std::uint32_t ranges_ = 0;
  std::array<Home, kMostMembers> homes_{};
};

}  // namespace loci::core
