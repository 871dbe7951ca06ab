#include "difference.h"

#include <algorithm>

namespace loci::cuda_graph {
namespace {

std::string difference_at(std::size_t i, const Captured& old, const Captured& next) {
  const Node& one = old.nodes()[i];
  const Node& other = next.nodes()[i];
  if (one.type != other.type) {
    return "node " + next.name_of(i) + " is a " + kind_of(other) + ", and was a " + kind_of(one);
  }
  const std::string& was = old.ops()[one.op].name;
  if (was != next.ops()[other.op].name) {
    return "node " + next.name_of(i) + " is of another op, and was of " + was;
  }
  // In their order too: by that the driver finds which node is which of the executable's.
  if (one.before != other.before) {
    return "node " + next.name_of(i) + " waits for others than it did, or in another order";
  }
  return {};
}

}  // namespace

std::string difference_of(const Captured& old, const Captured& next) {
  const std::size_t common = std::min(old.nodes().size(), next.nodes().size());
  for (std::size_t i = 0; i < common; ++i) {
    std::string difference = difference_at(i, old, next);
    if (!difference.empty()) return difference;
  }
  if (next.nodes().size() > common) return "node " + next.name_of(common) + " is one too many";
  if (old.nodes().size() > common) return "node " + old.name_of(common) + " is there no more";
  return {};
}

}  // namespace loci::cuda_graph
