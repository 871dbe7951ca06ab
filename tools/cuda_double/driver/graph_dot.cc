// A graph as text for graphviz.
#include <fmt/format.h>

#include "tools/cuda_double/driver/graph_exec.h"
#include "tools/cuda_double/driver/loaded_module.h"

namespace loci::cuda_double {
namespace {

const char* type_name(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return "KERNEL";
    case CU_GRAPH_NODE_TYPE_MEMCPY: return "MEMCPY";
    case CU_GRAPH_NODE_TYPE_MEMSET: return "MEMSET";
    case CU_GRAPH_NODE_TYPE_HOST: return "HOST";
    case CU_GRAPH_NODE_TYPE_GRAPH: return "GRAPH";
    case CU_GRAPH_NODE_TYPE_EMPTY: return "EMPTY";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return "EVENT_WAIT";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return "EVENT_RECORD";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return "MEM_ALLOC";
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return "MEM_FREE";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return "CONDITIONAL";
    default: return "?";
  }
}

std::string details(const Node& node) {
  if (const auto* kernel = std::get_if<KernelOperation>(&node.operation)) {
    return fmt::format("\\ngrid {}x{}x{}, block {}x{}x{}, shared {}", kernel->grid.x,
                       kernel->grid.y, kernel->grid.z, kernel->block.x, kernel->block.y,
                       kernel->block.z, kernel->dynamic_shared);
  }
  if (const auto* copy = std::get_if<CopyOperation>(&node.operation)) {
    return fmt::format("\\n{:#x} to {:#x}, {}x{}x{} bytes", copy->from, copy->to, copy->width,
                       copy->height, copy->depth);
  }
  if (const auto* fill = std::get_if<FillOperation>(&node.operation)) {
    return fmt::format("\\n{:#x}, {}x{} of {}, value {:#x}", fill->address, fill->width,
                       fill->height, fill->element, fill->value);
  }
  return "";
}

std::string label(const Node& node, std::size_t number, bool verbose) {
  const auto* kernel = std::get_if<KernelOperation>(&node.operation);
  const std::string name =
      kernel == nullptr ? type_name(node.type()) : kernel->function->code.name();
  return fmt::format("{}\\n{}{}", number, name, verbose ? details(node) : "");
}

void append_cluster(std::string& text, const Graph& graph, bool verbose) {
  std::map<const Node*, std::size_t> numbers;
  for (const auto& node : graph.nodes) numbers.emplace(node.get(), numbers.size());
  const auto node_name = [&](const Node* node) {
    return fmt::format("\"graph_{}_node_{}\"", graph.id, numbers.at(node));
  };
  text += fmt::format("subgraph cluster_{} {{\nlabel=\"graph_{}\" graph[style=\"dashed\"];\n",
                      graph.id, graph.id);
  for (const auto& node : graph.nodes) {
    const bool bold = node->type() == CU_GRAPH_NODE_TYPE_KERNEL;
    text += fmt::format("{}[style=\"{}\" shape=\"{}\" label=\"{}\"];\n", node_name(node.get()),
                        bold ? "bold" : "solid", bold ? "octagon" : "rectangle",
                        label(*node, numbers.at(node.get()), verbose));
  }
  for (const auto& node : graph.nodes) {
    for (const Node* dependency : node->dependencies) {
      text += fmt::format("{} -> {};\n", node_name(dependency), node_name(node.get()));
    }
  }
  text += "}\n";
  for (const auto& node : graph.nodes) {
    if (const auto* child = std::get_if<ChildOperation>(&node->operation)) {
      append_cluster(text, *child->graph, verbose);
    }
    if (const auto* conditional = std::get_if<ConditionalOperation>(&node->operation)) {
      for (const auto& body : conditional->bodies) append_cluster(text, *body, verbose);
    }
  }
}

}  // namespace

std::string dot_text(const Graph& graph, unsigned flags) {
  std::string text = "digraph dot {\n";
  append_cluster(text, graph, (flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) != 0);
  return text + "}\n";
}

}  // namespace loci::cuda_double
