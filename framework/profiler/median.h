// The median of a sample, and how well it is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/profile_diff.hpp>
#include <vector>

namespace loci::profiler {

using profiling::Median;

// The confidence that median_of() aims at. Six values are enough for it.
inline constexpr double kMedianConfidence = 0.95;

// Returns the median of `values` and of `zeros` more that are 0; the values need no order. The
// interval takes nothing for granted about how values are distributed: for independent values the
// number of those below the median is binomial (n, 1/2), so that the k-th smallest and the k-th
// largest lie on both sides of it with a probability of 1 - 2 P(B <= k - 1). The largest k for
// which that is at least kMedianConfidence is taken; 1 where there is none. Source: H. A. David,
// H. N. Nagaraja, Order Statistics, 3rd edition, 7.1.
Median median_of(std::vector<std::uint64_t> values, std::size_t zeros = 0);

}  // namespace loci::profiler
