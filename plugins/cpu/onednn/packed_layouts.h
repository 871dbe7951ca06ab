// Constants in the layouts of primitives.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/cpu/onednn/engine.h"

namespace loci::cpu::onednn {

// The layout's id with the host. Thread-safe.
std::uint32_t intern_layout(const sdk::Host& host, const Execution::Packed& packed);

// Reorders into a layout that was interned here. Thread-safe.
void relayout(const sdk::RelayoutCall& call);

}  // namespace loci::cpu::onednn
