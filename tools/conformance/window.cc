#include "tools/conformance/window.h"

#include <algorithm>

namespace loci::conformance {
namespace {

// output = ceil(input / stride), the odd element of padding after.
WindowPlaces place_same(const WindowRow& row, std::int64_t span) {
  WindowPlaces places;
  places.count = (row.input + row.stride - 1) / row.stride;
  const std::int64_t needed = (places.count - 1) * row.stride + span - row.input;
  places.before = std::max<std::int64_t>(needed, 0) / 2;
  places.end = row.input + std::max<std::int64_t>(needed, 0) - places.before;
  return places;
}

}  // namespace

WindowPlaces place_windows(const WindowRow& row, const std::vector<std::int64_t>& paddings,
                           std::size_t dimension, const std::string& algorithm, bool ceil_mode) {
  const std::int64_t span = (row.kernel - 1) * row.dilation + 1;
  if (algorithm == "SAME") return place_same(row, span);
  WindowPlaces places;
  std::int64_t after = 0;
  if (algorithm == "EXPLICIT") {
    places.before = paddings.size() == 4 ? paddings[2 * dimension] : paddings[dimension];
    after = paddings.size() == 4 ? paddings[2 * dimension + 1] : paddings[dimension];
  }
  places.end = row.input + after;
  for (std::int64_t begin = -places.before;; begin += row.stride) {
    const bool fits = begin + span <= row.input + after;
    const bool hangs_over = ceil_mode && places.count > 0 && begin < row.input &&
                            begin + span < row.input + after + row.stride;
    if (!fits && !hangs_over) return places;
    ++places.count;
  }
}

}  // namespace loci::conformance
