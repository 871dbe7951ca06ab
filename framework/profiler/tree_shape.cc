#include "framework/profiler/tree_shape.h"

#include <cstddef>

namespace loci::profiler {

std::uint32_t TreeShape::find_or_add(std::uint32_t parent, std::uint32_t key) {
  const std::uint64_t path = (std::uint64_t{parent} << 32) | key;
  const auto [id, is_new] = ids_.emplace(path, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({parent, parent == LOCI_PROFILE_NONE ? 0 : nodes_[parent].depth + 1});
  }
  return id;
}

std::vector<TreeShape::Place> TreeShape::preorder() const {
  std::vector<Place> places(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const std::uint32_t parent = nodes_[i].parent;
    if (parent != LOCI_PROFILE_NONE) places[parent].descendants += places[i].descendants + 1;
  }
  // A node follows its parent and the subtrees of the siblings that came before it.
  std::uint32_t next_top = 0;
  std::vector<std::uint32_t> next_child(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::uint32_t parent = nodes_[i].parent;
    std::uint32_t& next = parent == LOCI_PROFILE_NONE ? next_top : next_child[parent];
    places[i].position = next;
    places[i].parent = parent == LOCI_PROFILE_NONE ? parent : places[parent].position;
    places[i].depth = nodes_[i].depth;
    next += places[i].descendants + 1;
    next_child[i] = places[i].position + 1;
  }
  return places;
}

}  // namespace loci::profiler
