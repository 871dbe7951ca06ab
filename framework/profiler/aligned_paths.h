// The paths of call trees, numbered so that equal paths of two profiles have one number.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <loci/profile_diff.hpp>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "framework/profiler/tree_shape.h"

namespace loci::profiler {

using profiling::PathPart;

// A path is made of the kinds, names and instances from the outermost span on. Where the profiles
// do not have the same runs (a graph is replayed, operators are called one by one), what lies in a
// run is taken to lie in what is around it.
class AlignedPaths {
 public:
  AlignedPaths(const loci_profile& a, const loci_profile& b);

  // The number of each node of the merged call tree.
  std::vector<std::uint32_t> number(const loci_profile& profile);
  [[nodiscard]] std::vector<PathPart> path(std::uint32_t number) const;

 private:
  using Key = std::tuple<std::uint32_t, std::string, std::string>;

  std::uint32_t child(std::uint32_t parent, const loci_profile_label& label);

  bool skips_runs_;
  std::map<Key, std::uint32_t> keys_;
  TreeShape shape_;
  std::vector<PathPart> parts_;         // of each number, the innermost
  std::vector<std::uint32_t> parents_;  // of each number
};

}  // namespace loci::profiler
