// The kernels of a backend that are LOCI_KERNEL_CAPTURABLE, recorded and replayed.
#pragma once

#include <vector>

#include "tools/conformance/verify/brought.h"
#include "tools/conformance/verify/capture/capture_bench.h"
#include "tools/conformance/verify/ops/ops_core.h"

namespace loci::verify {

// A check for each op of the conformance suite that the plugin has kernels for.
std::vector<Check> capture_kernel_checks(const Target& target, const OpsOptions& options,
                                         const Brought& brought, const CaptureBenchPtr& bench);

}  // namespace loci::verify
