// Values that an op, or a branch, reads on the host before it can go on.
#pragma once

#include <loci/tensor.hpp>

namespace loci::eager {

// The tensor on the host, complete; itself if it lies there. A copy is a host_read in the ledger
// and for the policy: `variable` names a tensor that has no name itself, `op` is who reads; both
// are interned or literals. Throws Error(kPolicy) before it waits, and what the work failed with
// that writes the tensor, and kInvalidArgument within a capture, whose replays would not read it.
Tensor read_on_host(const Tensor& tensor, const char* variable, const char* op);

// A copy on the host of what a graph of a device has not computed yet, for the user's own eyes: see
// tensor::await_for_user().
Tensor read_before_replay(const Tensor& tensor);

// Refuses what hangs on a value within a capture: replays would go on with that value.
void require_no_capture(const Tensor& tensor, const char* variable, const char* op);

// Until the work that writes the tensor has ended; a profile shows that the host waits. Throws what
// it failed with.
void await_elements(const tensor::TensorImpl& impl);

}  // namespace loci::eager
