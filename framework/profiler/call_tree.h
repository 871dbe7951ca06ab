// Spans summed by their path.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// The trees have the form of loci_profile, but without device_union_ns.
struct CallTrees {
  std::vector<loci_profile_node> nodes;
  std::vector<std::uint32_t> node_spans;
  std::vector<loci_profile_node> thread_nodes;
  std::vector<std::uint32_t> thread_node_spans;
  std::vector<std::uint32_t> thread_node_of_span;
};

// Takes the spans' device_ns, and sets their node. Siblings are in the order of their first calls
// within the first thread that has them. Linear in the spans; trees are merged node by node.
CallTrees build_call_trees(const Recording& recording, Nesting& nesting);

}  // namespace loci::profiler
