#include "plugins/kernels/positions.h"

#include <algorithm>
#include <loci/plugin/error.hpp>
#include <string>

namespace loci::kernels {
namespace {

bool is_position(std::int64_t position, std::int64_t extent) {
  return position >= -extent && position < extent;
}

bool are_positions(const IntegerView& index, std::int64_t count, std::int64_t first,
                   std::int64_t step, std::int64_t extent) {
  std::int64_t lowest = 0;
  std::int64_t most = -1;
  index.with_data([&](const auto* data) {
    for (std::int64_t i = first; i < count; i += step) {
      lowest = std::min<std::int64_t>(lowest, data[i]);
      most = std::max<std::int64_t>(most, data[i]);
    }
  });
  return lowest >= -extent && most < extent;
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

void check_positions(const char* op, const IntegerView& index, std::int64_t count,
                     sdk::Dims extents, std::size_t first_dimension) {
  const auto step = static_cast<std::int64_t>(extents.size());
  bool are_all = true;
  for (std::int64_t i = 0; i < step; ++i) {
    are_all = are_all && are_positions(index, count, i, step, extents[static_cast<std::size_t>(i)]);
  }
  if (are_all) return;
  for (std::int64_t at = 0; at < count; ++at) {
    const auto axis = static_cast<std::size_t>(at % step);
    if (is_position(index[at], extents[axis])) continue;
    fail(op, index[at], at, extents[axis], first_dimension + axis);
  }
}

}  // namespace loci::kernels
