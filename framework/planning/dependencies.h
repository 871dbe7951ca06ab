// Which instructions of a plan need which others to have ended.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/execution/plan.h"

namespace loci::planning {

struct Dependency {
  std::uint32_t on = 0;     // an instruction before it
  bool host_value = false;  // over a value in host memory
};

// Dependencies by instruction; those of each in ascending order, every one once.
using Dependencies = std::vector<std::vector<Dependency>>;

// A value is read after it is written, and written after it is read or written. A value that is
// brought from another place as it was when the run began comes no earlier than memory allows:
// copies that no kernel has used yet hold at most `ahead_bytes`, or are two.
Dependencies find_dependencies(const execution::Plan& plan, std::uint64_t ahead_bytes = 64 << 20);

}  // namespace loci::planning
