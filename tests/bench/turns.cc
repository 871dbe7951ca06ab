#include "tests/bench/turns.h"

#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace loci::bench {
namespace {

double median_call_ns(const std::function<void()>& call, double seconds) {
  using Clock = std::chrono::steady_clock;
  call();
  std::vector<double> times;
  double spent = 0;
  while (spent < seconds * 1e9) {
    const auto start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    spent += times.back();
  }
  return median(std::move(times));
}

}  // namespace

Row time_in_turns(const std::string& name, const std::function<void()>& call, LivePeer* peer,
                  const std::vector<std::string>& peers, const TurnOptions& options) {
  std::vector<double> ours;
  std::map<std::string, std::vector<double>> theirs;
  for (int i = 0; i < options.rounds; ++i) {
    {
      const LivePeer::Rest rest(*peer);
      ours.push_back(median_call_ns(call, options.seconds));
    }
    for (const std::string& each : peers) {
      theirs[each].push_back(peer->ask({{"time", each}, {"seconds", options.seconds}}).at("ns"));
    }
  }
  Row row{name, median(ours) / 1000, "us", true, "", {}, {}};
  for (const auto& [each, times] : theirs) {
    const double value = median(times) / 1000;
    row.peers[each] = value;
    if (row.peer_value && *row.peer_value <= value) continue;
    row.peer = each;
    row.peer_value = value;
    row.budget = options.budget_ratio * value;
  }
  return row;
}

void require_same(const std::string& name, const std::vector<double>& ours,
                  const std::vector<double>& theirs, double tolerance) {
  if (ours.size() != theirs.size()) throw std::runtime_error(name + ": sizes differ");
  for (std::size_t i = 0; i < ours.size(); ++i) {
    // Written so that NaN differs.
    if (std::abs(ours[i] - theirs[i]) <= tolerance * (1 + std::abs(theirs[i]))) continue;
    throw std::runtime_error(name + ": element " + std::to_string(i) + " is " +
                             std::to_string(ours[i]) + ", the peer's " + std::to_string(theirs[i]));
  }
}

}  // namespace loci::bench
