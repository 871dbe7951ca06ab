// Positions along dimensions of a tensor, which count from the end if they are negative.
#pragma once

#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/integer_view.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Throws Error(kInvalidArgument) that names the first of `count` positions outside of its
// dimension, and where it is; the host's threads look. They are `extents.size()` each: the first is
// one along the dimension `first_dimension`, of extent extents[0], and so on. True if all count
// from the start.
bool check_positions(const char* op, const sdk::Host& host, const IntegerView& index,
                     std::int64_t count, sdk::Dims extents, std::size_t first_dimension);

// Counts a position that was checked from the start.
LOCI_INLINE inline std::int64_t from_start(std::int64_t position, std::int64_t extent) {
  return position < 0 ? position + extent : position;
}

}  // namespace loci::kernels
