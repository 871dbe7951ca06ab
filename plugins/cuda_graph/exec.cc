#include "exec.h"

#include <algorithm>
#include <string>
#include <utility>

#include "difference.h"
#include "graph.h"

namespace loci::cuda_graph {
namespace {

constexpr std::uint32_t kSource = 0;
constexpr std::uint32_t kTarget = 1;

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

void set_address(CUmemorytype type, void* address, CUdeviceptr& device, void** host) {
  if (type == CU_MEMORYTYPE_HOST) {
    *host = address;
  } else {
    device = reinterpret_cast<CUdeviceptr>(address);
  }
}

// Of the nodes that profiles have records of. Those of an op follow each other.
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
      items_(items_of(*origin_)) {
  const CurrentContext current(*driver_);
  driver_->check((*driver_)->cuGraphInstantiate(&exec_, origin_->handle(), 0),
                 "instantiating a graph of " + std::to_string(origin_->nodes().size()) + " nodes");
}

void Exec::launch(const loci_graph_launch& launch) {
  const CUstream stream = driver_->stream(launch.stream);
  const CurrentContext current(*driver_);
  const std::unique_ptr<cuda::TracedSpan> traced =
      driver_->trace().begin({launch.graph, launch.replay, launch.correlation, items_, stream});
  const CUresult status = (*driver_)->cuGraphLaunch(exec_, stream);
  driver_->check(status, "launching a graph");
  driver_->recording_of(launch.stream).recent->note("a replay of a graph", launch.correlation);
}

void Exec::patch(std::uint64_t item, std::uint32_t argument, void* address) {
  const std::size_t copy = copy_of(item);
  if (argument > kTarget) {
    refuse(*driver_, LOCI_CODE_INVALID_ARGUMENT,
           "item " + std::to_string(item) + " is a copy and has no argument " +
               std::to_string(argument) + "; 0 is its source and 1 its target");
  }
  CUDA_MEMCPY3D parameters = parameters_of(copy);
  if (argument == kSource) {
    void* host = const_cast<void*>(parameters.srcHost);
    set_address(parameters.srcMemoryType, address, parameters.srcDevice, &host);
    parameters.srcHost = host;
  } else {
    set_address(parameters.dstMemoryType, address, parameters.dstDevice, &parameters.dstHost);
  }
  const CurrentContext current(*driver_);
  driver_->check((*driver_)->cuGraphExecMemcpyNodeSetParams(exec_, origin_->nodes()[copy].handle,
                                                            &parameters, driver_->context()),
                 "patching node " + latest_->name_of(copy));
  patched_[copy] = parameters;
}

// Its node, where it is a copy of the host's, and where the nodes of `origin_` are known to be
// those of `latest_`.
std::size_t Exec::copy_of(std::uint64_t item) const {
  const std::vector<Op>& ops = latest_->ops();
  // The first is what was not announced.
  const auto op = std::lower_bound(ops.begin() + 1, ops.end(), item,
                                   [](const Op& each, std::uint64_t of) { return each.item < of; });
  if (op == ops.end() || op->item != item) {
    refuse(*driver_, LOCI_CODE_INVALID_ARGUMENT,
           "there is no item " + std::to_string(item) + " in the graph");
  }
  const bool is_copy = op->name == "copy" && op->last == op->first + 1 &&
                       latest_->nodes()[op->first].type == CU_GRAPH_NODE_TYPE_MEMCPY;
  if (is_copy && (origin_ == latest_ || latest_->is_chain())) return op->first;
  refuse(*driver_, LOCI_CODE_UNSUPPORTED,
         "which parameter of its nodes is an argument of " + text_of(*op) +
             " is not known; capture anew and update");
}

CUDA_MEMCPY3D Exec::parameters_of(std::size_t copy) const {
  const auto found = patched_.find(copy);
  if (found != patched_.end()) return found->second;
  const CurrentContext current(*driver_);
  CUDA_MEMCPY3D parameters{};
  driver_->check((*driver_)->cuGraphMemcpyNodeGetParams(latest_->nodes()[copy].handle, &parameters),
                 "reading node " + latest_->name_of(copy));
  return parameters;
}

void Exec::update(const Graph& graph) {
  const std::shared_ptr<const Captured>& next = graph.captured();
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
  patched_.clear();
}

}  // namespace loci::cuda_graph
