// The threads of the process that help with loops, and the loops that they help with.
//
// Threads are made when a loop first wants them, look for the next loop for a short while after
// one, and then sleep. No more of them compute than leaves room for the callers within the
// process's width: two callers at a width of two each do their own loop. Nothing here is ever
// destroyed, so that loops run until the process ends; the child of a fork() makes threads of its
// own.
#pragma once

#include <cstdint>

#include "framework/core/team_loop.h"

namespace loci::core {

// Runs the work with at most `members` threads, the calling one of them: alone where all loops are
// in use. members in [2, TeamLoop::kMostMembers].
void run_on_team(const TeamLoop::Work& work, std::uint32_t members) noexcept;

// Returns true if the calling thread is within a range of a loop.
[[nodiscard]] bool is_in_loop() noexcept;

// While it lives the calling thread's loops are its own, as within a range.
class WithoutTeam {
 public:
  WithoutTeam() noexcept;
  ~WithoutTeam();
  WithoutTeam(const WithoutTeam&) = delete;
  WithoutTeam& operator=(const WithoutTeam&) = delete;

 private:
  bool was_in_loop_;
};

// Returns true if a loop that the calling thread began now would leave a place for a helper.
[[nodiscard]] bool team_has_place() noexcept;

// How many loops the calling thread has had for the team since it began.
[[nodiscard]] std::uint64_t loops_opened() noexcept;

}  // namespace loci::core
