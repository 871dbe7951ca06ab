#include "plugins/kernels/positions.h"

#include <algorithm>
#include <atomic>
#include <loci/plugin/error.hpp>
#include <string>

#include "plugins/kernels/grain.h"

namespace loci::kernels {
namespace {

bool is_position(std::int64_t position, std::int64_t extent) {
  return position >= -extent && position < extent;
}

enum class Found : std::uint8_t { kFromStart, kFromEnd, kOutside };

// Tells what the worst of each `step`-th of `count` ids is. A loop without an exit, which is
// vectorised where the caller writes the step out.
template <class Id>
LOCI_INLINE inline Found look_at(const Id* ids, std::int64_t count, std::int64_t step,
                                 std::int64_t extent) {
  std::int64_t lowest = 0;
  std::int64_t most = -1;
  for (std::int64_t i = 0; i < count; i += step) {
    lowest = std::min<std::int64_t>(lowest, ids[i]);
    most = std::max<std::int64_t>(most, ids[i]);
  }
  if (lowest < -extent || most >= extent) return Found::kOutside;
  return lowest < 0 ? Found::kFromEnd : Found::kFromStart;
}

// The ids of whole tuples, each along all of the extents.
template <class Id>
Found look_at_tuples(const Id* ids, std::int64_t count, sdk::Dims extents) {
  if (extents.size() == 1) return look_at(ids, count, 1, extents[0]);
  const auto length = static_cast<std::int64_t>(extents.size());
  Found worst = Found::kFromStart;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t extent = extents[static_cast<std::size_t>(i)];
    worst = std::max(worst, look_at(ids + i, count - i, length, extent));
  }
  return worst;
}

[[noreturn]] void fail(const char* op, std::int64_t position, std::int64_t at, std::int64_t extent,
                       std::size_t dimension) {
  std::string message = "[";
  message.append(op).append("] the index at position ").append(std::to_string(at));
  message.append(" is ").append(std::to_string(position));
  message.append("; dimension ").append(std::to_string(dimension)).append(" has positions [");
  message.append(std::to_string(-extent)).append(", ").append(std::to_string(extent)).append(")");
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

}  // namespace

bool check_positions(const char* op, const sdk::Host& host, const IntegerView& index,
                     std::int64_t count, sdk::Dims extents, std::size_t first_dimension) {
  if (count == 0) return true;
  const auto step = static_cast<std::int64_t>(extents.size());
  std::atomic<bool> is_outside{false};
  std::atomic<bool> is_plain{true};
  index.with_data([&](const auto* ids) {
    host.parallel_for(
        0, count / step, grain_for(500 * step), [&](std::int64_t begin, std::int64_t end) {
          const Found found = look_at_tuples(ids + begin * step, (end - begin) * step, extents);
          if (found == Found::kFromStart) return;
          is_plain.store(false, std::memory_order_relaxed);
          if (found == Found::kOutside) is_outside.store(true, std::memory_order_relaxed);
        });
  });
  if (!is_outside) return is_plain;
  for (std::int64_t at = 0; at < count; ++at) {
    const auto axis = static_cast<std::size_t>(at % step);
    if (is_position(index[at], extents[axis])) continue;
    fail(op, index[at], at, extents[axis], first_dimension + axis);
  }
  return is_plain;
}

}  // namespace loci::kernels
