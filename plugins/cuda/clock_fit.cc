#include "clock_fit.h"

#include <algorithm>

namespace loci::cuda {
namespace {

// Differences are small where the times themselves have more digits than a double.
std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

std::uint64_t moved(std::uint64_t time, std::int64_t by) {
  return time + static_cast<std::uint64_t>(by);
}

}  // namespace

void ClockFit::add(std::uint64_t from, std::uint64_t to) {
  const bool is_later =
      samples_.empty() || (from > samples_.back().from && to > samples_.back().to);
  if (is_later) samples_.push_back({from, to});
}

std::uint64_t ClockFit::convert(std::uint64_t from) const {
  if (samples_.empty()) return from;
  const auto after =
      std::lower_bound(samples_.begin(), samples_.end(), from,
                       [](const Sample& sample, std::uint64_t time) { return sample.from < time; });
  if (after == samples_.begin()) return moved(after->to, difference(from, after->from));
  const Sample& first = *(after - 1);
  const std::int64_t passed = difference(from, first.from);
  if (after == samples_.end()) return moved(first.to, passed);
  const auto width = static_cast<double>(after->from - first.from);
  const auto drift =
      static_cast<double>(difference(after->to - first.to, after->from - first.from));
  const double share = static_cast<double>(passed) / width;
  return moved(first.to, passed + static_cast<std::int64_t>(drift * share));
}

}  // namespace loci::cuda
