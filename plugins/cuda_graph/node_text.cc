#include "node_text.h"

#include <algorithm>

namespace loci::cuda_graph {
namespace {

std::string extents(unsigned x, unsigned y, unsigned z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

std::string kernel_text(const Driver& driver, CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS kernel{};
  driver.check(driver->cuGraphKernelNodeGetParams(node, &kernel), "reading a kernel of a graph");
  const char* name = nullptr;
  // A kernel of a library has no function of its own.
  if (kernel.func != nullptr) driver->cuFuncGetName(&name, kernel.func);
  std::string text = name == nullptr ? "" : std::string(" ") + name;
  text += ", grid " + extents(kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ) + ", block " +
          extents(kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ);
  if (kernel.sharedMemBytes > 0) {
    text += ", " + std::to_string(kernel.sharedMemBytes) + " bytes shared";
  }
  return text;
}

std::string copy_text(const Driver& driver, CUgraphNode node) {
  CUDA_MEMCPY3D copy{};
  driver.check(driver->cuGraphMemcpyNodeGetParams(node, &copy), "reading a copy of a graph");
  return " of " + std::to_string(copy.WidthInBytes * copy.Height * copy.Depth) + " bytes";
}

// " of 2 or 3 nodes": what one of the bodies does.
std::string bodies_text(const ConditionalNode& node) {
  std::string text;
  for (const std::size_t body : node.bodies) {
    text += (text.empty() ? " of " : " or ") + std::to_string(body);
  }
  return text + " nodes";
}

std::string details(const Driver& driver, const Node& node) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_text(driver, node.handle);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return copy_text(driver, node.handle);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return node.conditional == nullptr ? "" : bodies_text(*node.conditional);
    default: return {};
  }
}

std::string waits_of(std::size_t number, const Node& node) {
  const bool is_next =
      number == 0 ? node.before.empty() : node.before.size() == 1 && node.before[0] + 1 == number;
  if (is_next) return {};
  std::string text = ", behind ";
  if (node.before.empty()) return text + "nothing";
  std::vector<std::size_t> before = node.before;
  std::sort(before.begin(), before.end());
  for (std::size_t i = 0; i < before.size(); ++i) {
    text += (i == 0 ? "" : " and ") + std::to_string(before[i]);
  }
  return text;
}

}  // namespace

std::string lines_of(const Driver& driver, const Captured& captured) {
  const CurrentContext current(driver);
  std::string text;
  for (std::size_t i = 0; i < captured.nodes().size(); ++i) {
    const Node& node = captured.nodes()[i];
    text += std::to_string(i) + " " + text_of(captured.ops()[node.op]) + ": " + kind_of(node) +
            details(driver, node) + waits_of(i, node) + "\n";
  }
  return text;
}

}  // namespace loci::cuda_graph
