#include "framework/capture/dot_file.h"

#include <fmt/format.h>

#include <iterator>

#include "framework/capture/captured_graph.h"
#include "framework/core/atomic_file.h"
#include "framework/program/dot.h"

namespace loci::capture {

void write_dot_file(const CapturedGraph& graph, const std::string& path) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "digraph {} {{\n  node [shape=box];\n",
                 program::dot_string(fmt::format("graph {}", graph.number)));
  for (std::size_t i = 0; i < graph.list.size(); ++i) {
    fmt::format_to(out, "  n{} [label={}, tooltip={}];\n", i,
                   program::dot_string(graph.list.type(i)),
                   program::dot_string(graph.list.describe(i)));
  }
  for (const DotEdge& edge : graph.edges) {
    fmt::format_to(out, "  n{} -> n{} [label={}];\n", edge.from, edge.to,
                   program::dot_string(edge.tensor));
  }
  fmt::format_to(out, "}}\n");
  core::AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace loci::capture
