// Tries what a kernel's definition promises, with copies of a launch: that an output may lie in an
// input's memory, that what was prepared serves other shapes, that launches do not disturb each
// other.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/verify/launch/launch_copy.h"

namespace loci::verify {

// How many launches of it were tried at the same time as others, which takes the most time: those
// whose results differ with their inputs, and those that would not show whose inputs they read.
struct OverlapCounts {
  std::atomic<int> telling{0};
  std::atomic<int> alike{0};
};

struct Rehearsed {
  std::string name;  // "relu (portable)"
  const loci_kernel_def& def;
  PreparedKernel kernel;
  ArgumentCounts counts;
  // A shape-agnostic kernel, prepared for other shapes, "[2, 3]" of its first argument. NULL: there
  // is none.
  const PreparedKernel* other = nullptr;
  std::string other_shape;
  OverlapCounts* overlaps = nullptr;  // of the implementation
  // Keeps the stream busy for a while; empty: nothing does.
  std::function<void(loci_stream*)> keep_busy;
};

// Returns a sentence that says what is wrong; empty if nothing is, or it cannot be tried, as for a
// launch whose result differs each time.
std::string rehearse(const Rehearsed& rehearsed, const LaunchPlace& place,
                     const loci_launch& launch);

// On so much a launch is tried with its aliases alone: kernels that work in tiles read all of a
// small input before they write.
inline constexpr std::uint64_t kMostAliasBytes = std::uint64_t{2} << 20;

// Tries nothing but aliases, on up to kMostAliasBytes. `tried` gets those that could be.
std::string rehearse_aliases(const Rehearsed& rehearsed, const LaunchPlace& place,
                             const loci_launch& launch, std::vector<loci_alias>* tried);

}  // namespace loci::verify
