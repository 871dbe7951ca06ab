#include "tests/bench/measured_roofline.h"

#include <set>
#include <thread>

#include "tests/bench/limits.h"
#include "tests/bench/operator_times.h"

namespace loci::bench {

void add_limits(Report* report) {
  if (!report->wants_roofline()) return;
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  for (const int threads : std::set<int>{1, 2, all > 0 ? all : 1}) {
    report->add_limits(measure_limits(threads));
  }
}

Row with_operators(Row row, const std::function<void()>& call, int threads, const LivePeer& peer,
                   const Report& report) {
  row.threads = threads;
  if (!report.wants_roofline()) return row;
  const LivePeer::Rest rest(peer);
  row.operators = operator_times(call);
  return row;
}

}  // namespace loci::bench
