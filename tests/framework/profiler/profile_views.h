// Finding things of a profile by name.
#pragma once

#include <loci/abi/profile.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "framework/profiler/abi_text.h"

namespace loci::profiler_test {

// Returns the label's instance if there is one, else its name.
inline std::string name_of(const loci_profile& profile, std::uint32_t label) {
  const loci_profile_label& of = profile.labels[label];
  return std::string(profiler::to_view(of.instance.size == 0 ? of.name : of.instance));
}

// "fc/mul_0/compute"
inline std::string path_of(const loci_profile& profile, const loci_profile_node* nodes,
                           std::size_t index) {
  const std::string name = name_of(profile, nodes[index].label);
  const std::uint32_t parent = nodes[index].parent;
  return parent == LOCI_PROFILE_NONE ? name : path_of(profile, nodes, parent) + "/" + name;
}

// Returns the paths of the merged tree, in its order.
inline std::vector<std::string> paths_of(const loci_profile& profile) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < profile.node_count; ++i) {
    paths.push_back(path_of(profile, profile.nodes, i));
  }
  return paths;
}

inline const loci_profile_node& node_of(const loci_profile& profile, std::string_view path) {
  for (std::size_t i = 0; i < profile.node_count; ++i) {
    if (path_of(profile, profile.nodes, i) == path) return profile.nodes[i];
  }
  throw std::out_of_range("there is no node " + std::string(path));
}

inline const loci_profile_node& thread_node_of(const loci_profile& profile, std::uint32_t thread,
                                               std::string_view path) {
  for (std::size_t i = 0; i < profile.thread_node_count; ++i) {
    const loci_profile_node& node = profile.thread_nodes[i];
    if (node.thread == thread && path_of(profile, profile.thread_nodes, i) == path) return node;
  }
  throw std::out_of_range("the thread has no node " + std::string(path));
}

// The first span of that name.
inline std::uint32_t span_of(const loci_profile& profile, std::string_view name) {
  for (std::uint32_t i = 0; i < profile.span_count; ++i) {
    if (name_of(profile, profile.spans[i].label) == name) return i;
  }
  throw std::out_of_range("there is no span " + std::string(name));
}

// "" for none.
inline std::string span_name(const loci_profile& profile, std::uint32_t span) {
  return span == LOCI_PROFILE_NONE ? "" : name_of(profile, profile.spans[span].label);
}

}  // namespace loci::profiler_test
