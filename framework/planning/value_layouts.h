// Values in the layouts that the kernels which write and read them like.
//
// What a convolution writes for another one need not be laid out as its shape says: kernels that
// are LOCI_KERNEL_OWN_LAYOUTS agree on layouts of their plugin's own for what passes among them
// alone, and nothing is reordered between them.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/dispatch/kernel.h"
#include "framework/dispatch/kernel_cache.h"
#include "framework/dispatch/op_desc.h"
#include "framework/execution/plan.h"

namespace loci::planning {

// An operator that a kernel may be asked about layouts of its own for, as it was bound.
struct LayoutCandidate {
  std::size_t instruction = 0;  // an index
  const program::Operator* op = nullptr;
  std::vector<dispatch::Implementation> implementations;  // of one plugin, the best one first
  dispatch::ArgumentSlots inputs;
  dispatch::ArgumentSlots outputs;
};

// Once all is lowered: prepares candidates anew, with the layouts that they choose for what only
// candidates of one plugin and device use. `candidates` come in the order of their instructions.
// Where a kernel declines what another one chose, both go on with plain values. Linear in the uses
// of values.
void lay_out_values(const std::vector<LayoutCandidate>& candidates, dispatch::KernelCache* kernels,
                    execution::Plan* plan);

}  // namespace loci::planning
