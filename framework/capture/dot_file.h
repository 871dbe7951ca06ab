// A graph as a drawing.
#pragma once

#include <cstdint>
#include <string>

namespace loci::capture {

class CapturedGraph;

// Between items of the launch list: `to` reads what `from` has written.
struct DotEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::string tensor;  // "y float32[4]"
};

// Throws Error(kFailed) with the file's name.
void write_dot_file(const CapturedGraph& graph, const std::string& path);

}  // namespace loci::capture
