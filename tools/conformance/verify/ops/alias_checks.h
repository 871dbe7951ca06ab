// Aliases of kernels on arguments that are large enough for tiles, blocks and threads: what works
// in its input's memory overwrites there what others of them have not read yet.
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/brought.h"
#include "tools/conformance/verify/ops/ops_core.h"

namespace loci::verify {

// One for each op of which a kernel says that an output may lie in the memory of an input: cases of
// it with all extents larger, as far as there are some with an output of an input's size. Launches
// are tried both ways as they come (rehearsal.h).
std::vector<Check> alias_checks(const std::shared_ptr<OpsCore>& core,
                                const std::shared_ptr<const conformance::Suite>& suite,
                                const Brought& brought);

}  // namespace loci::verify
