#include "plugins/cpu/onednn/cut.h"

#include <algorithm>
#include <utility>

namespace loci::cpu::onednn {
namespace {

// A part costs about 1.5 us beside its work; a core multiplies 20 to 60 times in a nanosecond.
constexpr double kLeastOfPart = 131'072;
constexpr double kLeastOfTwoEach = 1'048'576;
constexpr double kLeastOfFourEach = 2'097'152;
// A cut that leaves threads idle for longer is none.
constexpr double kLeastEvenness = 0.8;
// Fewer parts have to be that much more even to be preferred.
constexpr double kWorthMoreParts = 0.05;

}  // namespace

std::int64_t parts_of(double multiplications, std::uint32_t threads) {
  if (threads <= 1) return 1;
  const auto enough_for = [&](std::int64_t parts, double least) {
    return multiplications >= least * static_cast<double>(parts);
  };
  const std::int64_t each = threads;
  if (enough_for(4 * each, kLeastOfFourEach)) return 4 * each;
  if (enough_for(2 * each, kLeastOfTwoEach)) return 2 * each;
  const double most = multiplications / kLeastOfPart;
  return most >= static_cast<double>(each) ? each : std::max<std::int64_t>(1, std::int64_t(most));
}

std::vector<Range> cut_evenly(std::int64_t extent, std::int64_t granule, std::int64_t parts) {
  const std::int64_t granules = (extent + granule - 1) / granule;
  const std::int64_t each = (granules + parts - 1) / parts * granule;
  std::vector<Range> ranges;
  for (std::int64_t begin = 0; begin < extent; begin += each) {
    ranges.push_back({begin, std::min(each, extent - begin)});
  }
  return ranges;
}

std::vector<Range> cut_well(std::int64_t extent, std::int64_t granule, std::int64_t parts,
                            std::uint32_t threads, std::int64_t least) {
  std::vector<Range> best;
  double best_evenness = kLeastEvenness - kWorthMoreParts;
  for (; parts > 1; parts /= 2) {
    std::vector<Range> ranges = cut_evenly(extent, granule, parts);
    if (ranges.size() <= 1 || ranges.front().count < least) continue;
    const double even = evenness(ranges, threads);
    if (even < best_evenness + kWorthMoreParts) continue;
    best = std::move(ranges);
    best_evenness = even;
  }
  return best;
}

double evenness(const std::vector<Range>& ranges, std::uint32_t threads) {
  const auto count = static_cast<std::int64_t>(ranges.size());
  const std::int64_t rounds = (count + threads - 1) / threads;
  const double longest = static_cast<double>(ranges.front().count * rounds);
  return static_cast<double>(ranges.back().end()) / (longest * threads);
}

}  // namespace loci::cpu::onednn
