// The host as kernels of the software accelerator see it.
#pragma once

#include <loci/abi/host.h>

namespace loci::sim {

// Returns the host's table, but that a parallel loop runs on the calling thread: a stream is one
// thread, and each stream that opened a parallel region would get a thread team of its own, next to
// the one of the process. Parallelism comes from streams and devices.
loci_host_api serial_host(const loci_host_api& host);

}  // namespace loci::sim
