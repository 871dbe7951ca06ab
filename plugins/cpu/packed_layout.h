// Constant matrices as packed products read them: a layout of the plugin's own.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/packed_matrix.h"

namespace loci::cpu {

// Element (k, n) of what is packed lies at k * row + n * column.
struct PackedLayout {
  kernels::PackedMatrix matrix;
  std::int64_t row;
  std::int64_t column;
};

std::uint32_t intern(const sdk::Host& host, const PackedLayout& layout);

// Packs a constant for a kernel that chose such a layout; false for a layout of others.
// Thread-safe.
bool relayout_packed(const sdk::RelayoutCall& call);

}  // namespace loci::cpu
