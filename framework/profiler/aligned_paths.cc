#include "framework/profiler/aligned_paths.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "framework/profiler/abi_text.h"

namespace loci::profiler {
namespace {

const loci_profile_label& label_of(const loci_profile& profile, std::size_t node) {
  return profile.labels[profile.nodes[node].label];
}

std::set<std::string_view> runs_of(const loci_profile& profile) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < profile.node_count; ++i) {
    const loci_profile_label& label = label_of(profile, i);
    if (label.kind == LOCI_SPAN_RUN) names.insert(to_view(label.name));
  }
  return names;
}

}  // namespace

AlignedPaths::AlignedPaths(const loci_profile& a, const loci_profile& b)
    : skips_runs_(runs_of(a) != runs_of(b)) {}

std::vector<std::uint32_t> AlignedPaths::number(const loci_profile& profile) {
  std::vector<std::uint32_t> numbers(profile.node_count);
  std::vector<std::uint32_t> around(profile.node_count);  // for what lies in the node
  for (std::size_t i = 0; i < profile.node_count; ++i) {
    const loci_profile_label& label = label_of(profile, i);
    const std::uint32_t node_parent = profile.nodes[i].parent;
    const std::uint32_t parent =
        node_parent == LOCI_PROFILE_NONE ? LOCI_PROFILE_NONE : around[node_parent];
    numbers[i] = child(parent, label);
    around[i] = skips_runs_ && label.kind == LOCI_SPAN_RUN ? parent : numbers[i];
  }
  return numbers;
}

std::uint32_t AlignedPaths::child(std::uint32_t parent, const loci_profile_label& label) {
  const Key key(label.kind, to_view(label.name), to_view(label.instance));
  const auto found = keys_.emplace(key, static_cast<std::uint32_t>(keys_.size())).first;
  const std::uint32_t number = shape_.find_or_add(parent, found->second);
  if (number == parts_.size()) {
    parts_.push_back({label.kind, std::get<1>(key), std::get<2>(key)});
    parents_.push_back(parent);
  }
  return number;
}

std::vector<PathPart> AlignedPaths::path(std::uint32_t number) const {
  std::vector<PathPart> path;
  for (; number != LOCI_PROFILE_NONE; number = parents_[number]) path.push_back(parts_[number]);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace loci::profiler
