// Runs whose operators other threads ran.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

namespace loci::classic {

// The classic report shows a run as a row ("ParallelExecutor::Run") where its work was spread over
// threads, and the threads' events within it. Here that is a run at the top of its thread without
// an operator of its own: it adopts what other threads did at their top while it lasted, ranges of
// the application excepted. Any other run is no row, its events stand for themselves.
class SpreadRuns {
 public:
  // O(n log n) over the spans, for each thread with such runs.
  explicit SpreadRuns(const loci_profile& profile);

  // The run that adopted this span, else LOCI_PROFILE_NONE.
  [[nodiscard]] std::uint32_t adopter_of(std::uint32_t span) const { return adopters_[span]; }
  // Returns true if this span is a run that adopted others.
  [[nodiscard]] bool is_spread(std::uint32_t span) const { return adopted_[span]; }
  // Device time launched by what it adopted.
  [[nodiscard]] std::uint64_t adopted_device_ns(std::uint32_t span) const {
    return adopted_[span] ? device_ns_[span] : 0;
  }

 private:
  std::vector<std::uint32_t> adopters_;
  std::vector<bool> adopted_;
  std::vector<std::uint64_t> device_ns_;
};

}  // namespace loci::classic
