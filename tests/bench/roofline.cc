#include "tests/bench/roofline.h"

#include <algorithm>

namespace loci::bench {

double memory_rate(const Limits& limits, double bytes) {
  if (limits.levels.empty()) return 0;
  const MemoryLevel* filled = &limits.levels.front();
  for (const MemoryLevel& level : limits.levels) {
    if (static_cast<double>(level.bytes) <= bytes) filled = &level;
  }
  return std::max(filled->read, filled->copy);
}

Bound bound_of(const OperatorTime& op, const Limits& limits) {
  const auto microseconds = [](double amount, double rate) {
    return rate > 0 ? amount * 1e6 / rate : 0;
  };
  const double computing = microseconds(op.flops, limits.flops);
  const double moving = microseconds(op.bytes, memory_rate(limits, op.bytes));
  return {std::max(computing, moving), moving > computing};
}

}  // namespace loci::bench
