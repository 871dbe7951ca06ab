// Runs of launches of which threads of the team may do some beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/error.hpp>

#include "framework/execution/core_choice.h"
#include "framework/execution/core_walk.h"

namespace loci::execution {

// Whose launches they are, and how one is done, is what stands on this. Used by one run at a time.
class CoreRuns : protected CoreWalk::Segments {
 public:
  // The forks outlive it.
  explicit CoreRuns(const CoreForks& forks);
  CoreRuns(const CoreRuns&) = delete;
  CoreRuns& operator=(const CoreRuns&) = delete;

  // True while runs are in tracks.
  [[nodiscard]] bool is_forked() const;
  [[nodiscard]] const CoreChoice& choice() const { return choice_; }

 protected:
  ~CoreRuns() override = default;
  [[nodiscard]] const CoreForks& forks() const { return forks_; }

  // All launches, whichever way: one after the other while the team is somebody else's, and the
  // first time, since code that has not run yet is this thread's to run. Whether it was in tracks.
  // Throws Error with the first launch that failed.
  bool run_either();
  void run_forked();
  void run_tracks(const CoreRegion& region);

  // Launches [first, last), one after the other. Throws Error with the one that failed.
  virtual void run_plain(std::size_t first, std::size_t last) = 0;
  // Throws what the error of that launch stands for.
  [[noreturn]] virtual void fail(std::uint32_t launch, const Error& error) = 0;

 private:
  const CoreForks& forks_;
  CoreWalk walk_;
  CoreChoice choice_;
  bool always_forks_;
  bool is_first_ = true;
};

}  // namespace loci::execution
