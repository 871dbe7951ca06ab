// Which of several processes that compute together this one is.
#pragma once

#include <cstdint>

namespace loci::reporting {

struct ProcessRank {
  std::uint32_t rank = 0;  // from 0
  std::uint32_t world_size = 1;
};

// Reads RANK and WORLD_SIZE, which launchers of such processes set; alone where they are not both
// numbers, or do not fit each other: what else uses these names is no matter of ours.
ProcessRank environment_rank();

}  // namespace loci::reporting
