// A call of ours and peers that stay up, timed in turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/live_peer.h"
#include "tests/bench/report.h"

namespace loci::bench {

struct TurnOptions {
  double seconds = 0.01;      // of a turn
  double budget_ratio = 1.0;  // of our time over the best peer's
  int rounds = 15;            // in each of which everybody has a turn
};

// The row of the medians over all turns, in microseconds; of a turn the median call counts, since
// other work of the machine meets some of them. `peers` are those that the peer has set up.
Row time_in_turns(const std::string& name, const std::function<void()>& call, LivePeer* peer,
                  const std::vector<std::string>& peers, const TurnOptions& options);

// Throws std::runtime_error unless the sizes are equal and the elements differ by at most the
// tolerance, over 1 + the peer's magnitude.
void require_same(const std::string& name, const std::vector<double>& ours,
                  const std::vector<double>& theirs, double tolerance);

}  // namespace loci::bench
