// Random numbers are drawn by these; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// low + unit * (high - low). Where the difference overflows, half of that, doubled: exact steps.
template <class C>
struct UniformRange {
  C scale;
  C low;          // over the scale
  C range;        // over the scale
  C last;         // the largest element below the end, which rounding may not reach
  bool is_empty;  // always `low`
};

struct Normal {
  double mean;
  double deviation;
};

// Besides the state.
struct Drawn {
  std::int64_t count;
  std::uint64_t offset;
  bool is_counted;  // the state has a third element, for the offset
};

}  // namespace loci::cuda
