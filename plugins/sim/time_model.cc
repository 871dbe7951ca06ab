#include "plugins/sim/time_model.h"

namespace loci::sim {
namespace {

TimeModel::Duration from_ns(double ns) {
  constexpr double kLongest = 1e18;  // 31 years; leaves room to add it to now
  return TimeModel::Duration(static_cast<std::int64_t>(ns < kLongest ? ns : kLongest));
}

// 10^9 of them a second are one a nanosecond.
double ns_of(double amount, double billions_per_second) {
  return billions_per_second == 0 ? 0 : amount / billions_per_second;
}

double bandwidth(const Settings& settings, Route route) {
  switch (route) {
    case Route::kToDevice: return settings.h2d_gbps;
    case Route::kToHost: return settings.d2h_gbps;
    case Route::kPeer: return settings.peer_gbps;
    case Route::kLocal: return settings.local_gbps;
  }
  return 0;
}

}  // namespace

TimeModel::Duration TimeModel::copy(Route route, std::uint64_t bytes) const {
  return from_ns(settings_.copy_latency_us * 1e3 +
                 ns_of(static_cast<double>(bytes), bandwidth(settings_, route)));
}

TimeModel::Duration TimeModel::launch(double flops) const {
  return from_ns(settings_.launch_us * 1e3 + ns_of(flops, settings_.gflops));
}

}  // namespace loci::sim
