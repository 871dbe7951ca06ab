#include "node_parameters.h"

#include <cstring>

namespace loci::cuda_graph {
namespace {

// Whatever the driver says: who asks can do without.
void require_told(const Driver& driver, CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] " + driver.place() + ": " + what +
                                              " cannot be read: " + driver.text_of(status) +
                                              "; capture anew and update");
}

std::uint64_t word_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
void* pointer_of(std::uint64_t word) { return reinterpret_cast<void*>(word); }

CUresult set_kernel(const Driver& driver, CUgraphExec exec, CUgraphNode node,
                    CUDA_KERNEL_NODE_PARAMS kernel, std::vector<std::uint64_t>& words,
                    const std::vector<std::size_t>& firsts) {
  std::vector<void*> pointers;
  for (const std::size_t first : firsts) pointers.push_back(&words[first]);
  kernel.kernelParams = pointers.data();
  return driver->cuGraphExecKernelNodeSetParams(exec, node, &kernel);
}

CUresult set_copy(const Driver& driver, CUgraphExec exec, CUgraphNode node, CUDA_MEMCPY3D copy,
                  const std::vector<std::uint64_t>& words) {
  if (copy.srcMemoryType == CU_MEMORYTYPE_HOST) {
    copy.srcHost = pointer_of(words[0]);
  } else {
    copy.srcDevice = words[0];
  }
  if (copy.dstMemoryType == CU_MEMORYTYPE_HOST) {
    copy.dstHost = pointer_of(words[1]);
  } else {
    copy.dstDevice = words[1];
  }
  return driver->cuGraphExecMemcpyNodeSetParams(exec, node, &copy, driver.context());
}

CUresult set_fill(const Driver& driver, CUgraphExec exec, CUgraphNode node,
                  CUDA_MEMSET_NODE_PARAMS fill, const std::vector<std::uint64_t>& words) {
  fill.dst = words[0];
  return driver->cuGraphExecMemsetNodeSetParams(exec, node, &fill, driver.context());
}

}  // namespace

NodeParameters::NodeParameters(const Driver& driver, const Node& node) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: read_kernel(driver, node.handle); break;
    case CU_GRAPH_NODE_TYPE_MEMCPY: read_copy(driver, node.handle); break;
    case CU_GRAPH_NODE_TYPE_MEMSET: read_fill(driver, node.handle); break;
    default:
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[cuda_graph] " + driver.place() +
                                                  ": the parameters of a " + kind_of(node) +
                                                  " cannot be exchanged; capture anew and update");
  }
}

// The driver keeps them, and tells by a refusal that there are no more.
void NodeParameters::read_kernel(const Driver& driver, CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS kernel{};
  require_told(driver, driver->cuGraphKernelNodeGetParams(node, &kernel), "a kernel of a graph");
  if (kernel.func == nullptr || kernel.kernelParams == nullptr) {
    require_told(driver, CUDA_ERROR_NOT_SUPPORTED, "the parameters of a library's kernel");
  }
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const CUresult status = driver->cuFuncGetParamInfo(kernel.func, i, &offset, &bytes);
    if (status == CUDA_ERROR_INVALID_VALUE) break;
    require_told(driver, status, "the layout of a kernel's parameters");
    firsts_.push_back(words_.size());
    words_.resize(words_.size() + (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    std::memcpy(&words_[firsts_.back()], kernel.kernelParams[i], bytes);
  }
  kernel.kernelParams = nullptr;
  parameters_ = kernel;
}

void NodeParameters::read_copy(const Driver& driver, CUgraphNode node) {
  CUDA_MEMCPY3D copy{};
  require_told(driver, driver->cuGraphMemcpyNodeGetParams(node, &copy), "a copy of a graph");
  const bool reads_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool writes_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  words_ = {reads_host ? word_of(copy.srcHost) : copy.srcDevice,
            writes_host ? word_of(copy.dstHost) : copy.dstDevice};
  parameters_ = copy;
}

void NodeParameters::read_fill(const Driver& driver, CUgraphNode node) {
  CUDA_MEMSET_NODE_PARAMS fill{};
  require_told(driver, driver->cuGraphMemsetNodeGetParams(node, &fill), "a fill of a graph");
  words_ = {fill.dst};
  parameters_ = fill;
}

void NodeParameters::give(const Driver& driver, CUgraphExec exec, CUgraphNode node,
                          const std::string& action) {
  CUresult status = CUDA_SUCCESS;
  if (const auto* kernel = std::get_if<CUDA_KERNEL_NODE_PARAMS>(&parameters_)) {
    status = set_kernel(driver, exec, node, *kernel, words_, firsts_);
  } else if (const auto* copy = std::get_if<CUDA_MEMCPY3D>(&parameters_)) {
    status = set_copy(driver, exec, node, *copy, words_);
  } else {
    status = set_fill(driver, exec, node, std::get<CUDA_MEMSET_NODE_PARAMS>(parameters_), words_);
  }
  driver.check(status, action);
}

}  // namespace loci::cuda_graph
