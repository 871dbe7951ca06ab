// An op for those who read.
#pragma once

#include <loci/inspect_ops.hpp>
#include <string>

namespace loci::runner {

// All that `loci ops NAME` tells of it, some lines.
std::string op_text(const inspect::Op& op);

}  // namespace loci::runner
