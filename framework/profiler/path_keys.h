// Numbers for what a path is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// For each label a number that it shares with the labels of the same kind, name and instance, and
// with no other.
std::vector<std::uint32_t> path_keys(const std::vector<Label>& labels);

}  // namespace loci::profiler
