// Checks of the level ops for values in layouts of the plugin's own, which its kernels agree on
// (LOCI_KERNEL_OWN_LAYOUTS).
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/brought.h"
#include "tools/conformance/verify/ops/ops_core.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// "ops/layouts/round_trip/<op>": what that op writes so, and another reads, has all its bits again,
// whatever its extents. "ops/layouts/<op>": each case of the op with inputs and outputs that come
// so. Skipped where no value does.
std::vector<Check> layout_checks(const std::shared_ptr<OpsCore>& core,
                                 const std::shared_ptr<const conformance::Suite>& suite,
                                 const Brought& brought);

}  // namespace loci::verify
