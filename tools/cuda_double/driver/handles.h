// From handles of cuda.h to objects and back.
#pragma once

#include <cuda.h>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/driver/graph_exec.h"
#include "tools/cuda_double/driver/loaded_module.h"
#include "tools/cuda_double/driver/pool.h"

namespace loci::cuda_double {

template <typename Handle>
Handle handle_of(const Object* object) {
  return reinterpret_cast<Handle>(const_cast<Object*>(object));
}

inline std::shared_ptr<Context> context_of(Call& call, CUcontext handle) {
  return call.driver.registry.get<Context>(handle, CUDA_ERROR_INVALID_CONTEXT);
}
inline std::shared_ptr<Event> event_of(Call& call, CUevent handle) {
  return call.driver.registry.get<Event>(handle);
}
inline std::shared_ptr<Graph> graph_of(Call& call, CUgraph handle) {
  return call.driver.registry.get<Graph>(handle, CUDA_ERROR_INVALID_VALUE);
}
inline std::shared_ptr<Node> node_of(Call& call, CUgraphNode handle) {
  return call.driver.registry.get<Node>(handle, CUDA_ERROR_INVALID_VALUE);
}
inline std::shared_ptr<GraphExec> exec_of(Call& call, CUgraphExec handle) {
  return call.driver.registry.get<GraphExec>(handle, CUDA_ERROR_INVALID_VALUE);
}
inline std::shared_ptr<Pool> pool_of(Call& call, CUmemoryPool handle) {
  return call.driver.registry.get<Pool>(handle, CUDA_ERROR_INVALID_VALUE);
}
inline std::shared_ptr<LoadedModule> module_of(Call& call, CUmodule handle) {
  return call.driver.registry.get<LoadedModule>(handle);
}
inline std::shared_ptr<Library> library_of(Call& call, CUlibrary handle) {
  return call.driver.registry.get<Library>(handle);
}
inline std::shared_ptr<LibraryKernel> kernel_of(Call& call, CUkernel handle) {
  return call.driver.registry.get<LibraryKernel>(handle);
}

inline std::vector<Node*> nodes_of(Call& call, const CUgraphNode* handles, std::size_t count) {
  require(handles != nullptr || count == 0, "there are no nodes");
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_of(call, handles[i]).get());
  return nodes;
}

}  // namespace loci::cuda_double
