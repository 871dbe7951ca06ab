// Rows of benchmarks that offer a roofline have this besides their time.
#pragma once

#include <functional>

#include "tests/bench/live_peer.h"
#include "tests/bench/report.h"

namespace loci::bench {

// The limits of the numbers of threads that these benchmarks run at, and of all that the machine
// has. Nothing if no roofline is wanted.
void add_limits(Report* report);

// Adds the number of threads to the row and, if a roofline is wanted, the operators of its call.
Row with_operators(Row row, const std::function<void()>& call, int threads, const LivePeer& peer,
                   const Report& report);

}  // namespace loci::bench
