// Runs of a launch list of which threads of the team do some launches beside each other.
#pragma once

#include <cstdint>

#include "framework/capture/launch_list.h"
#include "framework/execution/core_runs.h"

namespace loci::capture {

// Used by one replay at a time.
class ListRuns final : public execution::CoreRuns {
 public:
  // Both outlive it.
  ListRuns(const execution::CoreForks& forks, LaunchList& list) : CoreRuns(forks), list_(list) {}

  // All items, the first one with that correlation; whether threads shared them. While a profile is
  // recorded it is as others are now, with scopes on the threads that launch. Throws Error with the
  // first item that failed.
  bool run(const LaunchList::Target& target, std::uint64_t correlation);

 private:
  void run(const execution::CoreSegment& segment, execution::CoreWalk& walk) noexcept override;
  void run_plain(std::size_t first, std::size_t last) override;
  [[noreturn]] void fail(std::uint32_t item, const Error& error) override;

  LaunchList& list_;
  const LaunchList::Target* target_ = nullptr;  // of the run
  std::uint64_t correlation_ = 0;
};

}  // namespace loci::capture
