// The nodes of a tree under construction.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/profiler/id_map.h"

namespace loci::profiler {

// Finds nodes by (parent, key), both numbers, and brings them into preorder. Nodes are numbered as
// they come; a parent comes before its children.
class TreeShape {
 public:
  struct Place {
    std::uint32_t position;  // in preorder
    std::uint32_t parent;    // position, or LOCI_PROFILE_NONE
    std::uint32_t descendants;
    std::uint32_t depth;
  };

  // The node of that key under the parent (LOCI_PROFILE_NONE: a top node), added if it is not
  // there.
  std::uint32_t find_or_add(std::uint32_t parent, std::uint32_t key);
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  // Returns the place of each node. Siblings stay in the order in which they came.
  [[nodiscard]] std::vector<Place> preorder() const;

 private:
  struct Node {
    std::uint32_t parent;
    std::uint32_t depth;
  };

  std::vector<Node> nodes_;
  IdMap ids_;
};

}  // namespace loci::profiler
