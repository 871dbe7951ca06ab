// Constants in the layouts of primitives.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/cpu/onednn/parts.h"

namespace loci::cpu::onednn {

// The layout's id with the host. Thread-safe.
std::uint32_t intern_layout(const sdk::Host& host, const Parts::Packed& packed);

// Reorders into a layout that was interned here. Thread-safe.
void relayout(const sdk::RelayoutCall& call);

}  // namespace loci::cpu::onednn
