// Paths of call trees in expectations.
#pragma once

#include <loci/profile_diff.hpp>
#include <string>
#include <vector>

namespace loci::profiler_test {

// "fc_0/mul_0/compute": of each part the instance if there is one, else the name.
inline std::string path_text(const std::vector<profiling::PathPart>& path) {
  std::string text;
  for (const profiling::PathPart& part : path) {
    if (!text.empty()) text += '/';
    text += part.instance.empty() ? part.name : part.instance;
  }
  return text;
}

}  // namespace loci::profiler_test
