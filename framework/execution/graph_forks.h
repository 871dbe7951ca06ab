// Where the graphs that a plan's launches are captured as fork and join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::execution {

// All orders are those of the instructions, so that running them one after the other is right too,
// whatever a graph takes of them.
struct GraphForks {
  // Lists by instruction those before it that it waits for, directly.
  std::vector<std::vector<std::uint32_t>> waits;
  // Numbers branches from 0, by instruction: those of one branch follow each other.
  std::vector<std::uint32_t> branches;
};

}  // namespace loci::execution
