// Calls that are no waits by their name: which of them wait for work that is enqueued.
#include "capture.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

class ImplicitWait : public DriverTest {
 protected:
  // Records whether the call waits for a stream that does not wait for the legacy stream, and for
  // one that does.
  void observe(const std::string& name, const std::function<void()>& call) {
    for (const unsigned flags : {CU_STREAM_NON_BLOCKING, CU_STREAM_DEFAULT}) {
      Stream stream(flags);
      Gate gate;
      gate.close(stream);
      record(name + (flags == CU_STREAM_DEFAULT ? ", blocking stream" : ", non-blocking stream"),
             blocks_until_open(gate, context(), call));
      stream.synchronize();
    }
  }
};

TEST_F(ImplicitWait, HostMemory) {
  observe("cuMemAllocHost and cuMemFreeHost", [] {
    void* data = nullptr;
    must(cu().cuMemAllocHost(&data, 4096));
    must(cu().cuMemFreeHost(data));
  });
  observe("cuMemAllocHost", [] {
    void* data = nullptr;
    must(cu().cuMemAllocHost(&data, 4096));
  });
  alignas(4096) static char pages[8192];
  observe("cuMemHostRegister and cuMemHostUnregister", [] {
    must(cu().cuMemHostRegister(pages, sizeof pages, 0));
    must(cu().cuMemHostUnregister(pages));
  });
}

TEST_F(ImplicitWait, DeviceMemory) {
  observe("cuMemAlloc of 64 MiB", [] {
    CUdeviceptr address = 0;
    must(cu().cuMemAlloc(&address, 64 << 20));
  });
  observe("cuMemAlloc and cuMemFree", [] {
    CUdeviceptr address = 0;
    must(cu().cuMemAlloc(&address, 4096));
    must(cu().cuMemFree(address));
  });
  observe("cuMemFree of null", [] { must(cu().cuMemFree(0)); });
  observe("cuMemGetInfo", [] {
    std::size_t free = 0;
    std::size_t total = 0;
    must(cu().cuMemGetInfo(&free, &total));
  });
  observe("cuMemAllocAsync and cuMemFreeAsync on another stream", [] {
    Stream stream;
    CUdeviceptr address = 0;
    must(cu().cuMemAllocAsync(&address, 32 << 20, stream));
    must(cu().cuMemFreeAsync(address, stream));
    stream.synchronize();
  });
}

TEST_F(ImplicitWait, StreamsAndEvents) {
  observe("cuStreamCreate and cuStreamDestroy", [] { Stream stream; });
  observe("cuEventCreate and cuEventDestroy", [] { Event event; });
}

TEST_F(ImplicitWait, Modules) {
  observe("cuModuleLoadData", [] {
    CUmodule module = nullptr;
    must(cu().cuModuleLoadData(&module, kKernels));
  });
  observe("cuModuleLoadData and cuModuleUnload", [] {
    CUmodule module = nullptr;
    must(cu().cuModuleLoadData(&module, kKernels));
    must(cu().cuModuleUnload(module));
  });
  observe("cuFuncSetAttribute", [] {
    must(cu().cuFuncSetAttribute(kernel("store"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 1024));
  });
}

TEST_F(ImplicitWait, Graphs) {
  DeviceMemory memory(4);
  const CUgraph graph = graph_of_store(memory, 1);
  observe("cuGraphInstantiate and cuGraphExecDestroy", [&] {
    CUgraphExec exec = nullptr;
    must(cu().cuGraphInstantiate(&exec, graph, 0));
    must(cu().cuGraphExecDestroy(exec));
  });
  must(cu().cuGraphDestroy(graph));
}

TEST_F(ImplicitWait, Contexts) {
  observe("cuCtxSetLimit", [] { must(cu().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096)); });
  observe("cuDevicePrimaryCtxRetain and cuDevicePrimaryCtxRelease", [] {
    CUcontext again = nullptr;
    must(cu().cuDevicePrimaryCtxRetain(&again, 0));
    must(cu().cuDevicePrimaryCtxRelease(0));
  });
}

}  // namespace
}  // namespace loci::cuda_rules
