#include "framework/reporting/known_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <loci/error.hpp>

namespace loci::reporting {
namespace {

constexpr std::int64_t kSecondsOfPeaks = std::int64_t{30} * 24 * 3600;
constexpr std::int64_t kSecondsOfDisturbedPeaks = 600;
constexpr double kMostOfOthers = 0.1;  // a system's own services take less

bool are_current(const Peaks& peaks, std::int64_t now) {
  const std::int64_t age = now - peaks.measured_at;
  // Those of the future are of a clock that was wrong.
  return age >= 0 && age <= (is_disturbed(peaks) ? kSecondsOfDisturbedPeaks : kSecondsOfPeaks);
}

bool have_same_levels(const Peaks& one, const Peaks& other) {
  return std::equal(one.levels.begin(), one.levels.end(), other.levels.begin(), other.levels.end(),
                    [](const auto& a, const auto& b) { return a.call_bytes == b.call_bytes; });
}

// A disturbed measurement gives too little, never too much.
Peaks best_of(const Peaks& fresh, const Peaks& kept) {
  if (!have_same_levels(fresh, kept)) return fresh;
  Peaks best = fresh;
  best.flops = std::max(fresh.flops, kept.flops);
  best.bytes = std::max(fresh.bytes, kept.bytes);
  for (std::size_t i = 0; i < best.levels.size(); ++i) {
    best.levels[i].bytes = std::max(fresh.levels[i].bytes, kept.levels[i].bytes);
  }
  return best;
}

}  // namespace

bool is_disturbed(const Peaks& peaks) { return peaks.others > kMostOfOthers || !peaks.is_steady; }

std::string caveat(const Peaks& peaks) {
  if (!is_disturbed(peaks)) return {};
  const std::string why =
      peaks.others > kMostOfOthers
          ? fmt::format("while other processes took {:.0f} % of the processors", 100 * peaks.others)
          : "with results that differed from round to round";
  return fmt::format(
      "its peaks were measured {}, so that shares of them may be too high; a session on an idle "
      "machine, ten minutes later or more, measures them anew",
      why);
}

std::optional<Peaks> KnownPeaks::of(const device::Device& device, bool may_measure,
                                    std::int64_t now, std::string& why) const {
  const std::optional<Peaks> kept = cache_.find(device);
  if (!may_measure || (kept && are_current(*kept, now))) return kept;
  try {
    Peaks peaks = measure_(device.place());
    if (kept && is_disturbed(peaks)) peaks = best_of(peaks, *kept);
    cache_.keep(device, peaks);
    return peaks;
  } catch (const Error& error) {
    why = error.what();
    why.resize(std::min(why.size(), why.find("; ")));  // what to do is meant for whoever ran it
    return kept;
  }
}

}  // namespace loci::reporting
