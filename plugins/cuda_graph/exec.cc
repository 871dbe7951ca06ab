#include "exec.h"

#include <string>
#include <utility>

#include "difference.h"
#include "graph.h"

namespace loci::cuda_graph {
namespace {

[[noreturn]] void refuse(const Driver& driver, loci_code code, const std::string& why) {
  throw sdk::Error(code, "[cuda_graph] " + driver.place() + ": " + why);
}

std::string refusal_of(CUgraphExecUpdateResult result) {
  switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED: return "its edges are others";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED: return "it is of another kind";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE: return "its kernel is another";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED: return "its parameters may not change so";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED: return "its attributes are others";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED: return "it cannot be updated";
    default: return "update result " + std::to_string(static_cast<int>(result));
  }
}

// Returns the items of the nodes that profiles have records of. Those of an op follow each other.
std::shared_ptr<const std::vector<std::uint64_t>> items_of(const Captured& captured) {
  std::vector<std::uint64_t> items;
  for (const Node& node : captured.nodes()) {
    if (is_work(node.type)) items.push_back(captured.ops()[node.op].item);
  }
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(items));
}

}  // namespace

Exec::Exec(std::shared_ptr<const Driver> driver, std::shared_ptr<const Captured> captured)
    : driver_(std::move(driver)),
      origin_(std::move(captured)),
      latest_(origin_),
      items_(items_of(*origin_)),
      patches_(driver_, origin_) {
  const CurrentContext current(*driver_);
  driver_->check((*driver_)->cuGraphInstantiate(&exec_, origin_->handle(), 0),
                 "instantiating a graph of " + std::to_string(origin_->nodes().size()) + " nodes");
}

void Exec::launch(const loci_graph_launch& launch) {
  const CUstream stream = driver_->stream(launch.stream);
  const CurrentContext current(*driver_);
  patches_.give(exec_, *origin_);
  const std::unique_ptr<cuda::TracedSpan> traced =
      driver_->trace().begin({launch.graph, launch.replay, launch.correlation, items_, stream,
                              latest_->has_conditionals()});
  const CUresult status = (*driver_)->cuGraphLaunch(exec_, stream);
  driver_->check(status, "launching a graph");
  driver_->recording_of(launch.stream).recent->note("a replay of a graph", launch.correlation);
}

void Exec::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  patches_.set(item, argument, address);
}

void Exec::update(const Graph& graph) {
  const std::shared_ptr<const Captured>& next = graph.captured();
  if (latest_->has_conditionals() || next->has_conditionals()) {
    refuse(*driver_, LOCI_CODE_UNSUPPORTED,
           "the executable cannot be updated: it has a loop or a branch, or would have one");
  }
  const std::string difference = difference_of(*latest_, *next);
  if (!difference.empty()) {
    refuse(*driver_, LOCI_CODE_UNSUPPORTED, "the executable cannot be updated: " + difference);
  }
  const CurrentContext current(*driver_);
  CUgraphExecUpdateResultInfo info{};
  const CUresult status = (*driver_)->cuGraphExecUpdate(exec_, next->handle(), &info);
  if (status == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
    const std::size_t node = next->find(info.errorNode);
    refuse(*driver_, LOCI_CODE_UNSUPPORTED,
           "the executable cannot be updated: node " +
               (node < next->nodes().size() ? next->name_of(node) : "of the graph") + ": " +
               refusal_of(info.result) + ", " + driver_->text_of(status));
  }
  driver_->check(status, "updating an executable");
  latest_ = next;
  items_ = items_of(*latest_);
  patches_ = Patches(driver_, latest_);
}

}  // namespace loci::cuda_graph
