// The gradient of a scan: a scan from the other end.
//
// It carries the gradients of the carried values, and the sums of those of captures; it takes
// slices of what the scan took slices of, of the gradients of its stacked outputs, and of the
// carried values before each step, as far as the gradient of a step needs them. Those are computed
// again: by the scan itself, with them for its stacked outputs.
#pragma once

#include "framework/autograd/block_gradient.h"

namespace loci::autograd {

// Emits the gradients of a scan's inputs and contributes them, see append_block_gradient().
void append_scan_gradient(const BlockGradient& request, program::ProgramImpl& program,
                          ProgramEmitter& emitter);

}  // namespace loci::autograd
