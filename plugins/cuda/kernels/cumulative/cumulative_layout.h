// Lines that are run through in chunks; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// The elements of a line are `inner` apart. It is run through by `chunks`, each `chunk` long but
// for the last; what lies before each chunk is known first, unless there is only one.
struct CumulativeLayout {
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
  std::int64_t chunk;
  std::int64_t chunks;
  std::int32_t is_exclusive;
  std::int32_t is_reverse;
};

}  // namespace loci::cuda
