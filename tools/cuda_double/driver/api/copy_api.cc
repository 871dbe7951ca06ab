// Copies.
#include <fmt/format.h>

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/enqueue.h"
#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/memory.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

std::uint64_t host(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

void copy(Call& call, std::uint64_t to, std::uint64_t from, std::size_t bytes, CUstream stream,
          Synchrony synchrony) {
  copy_memory(call, straight_copy(to, from, bytes), stream, synchrony);
}

// The side that is named a device's has to be memory of the driver.
void require_device(Call& call, CUdeviceptr address, std::size_t bytes) {
  require(bytes == 0 || place_of(call.driver, address) != Place::kPageable,
          "it is no memory of a device");
}

CUresult copy_to_device(const char* name, CUdeviceptr to, const void* from, std::size_t bytes,
                        CUstream stream, Synchrony synchrony) {
  return enter(name, kNeedsContext, [&](Call& call) {
    static_cast<void>(call.work_stream(stream));
    require_device(call, to, bytes);
    copy(call, to, host(from), bytes, stream, synchrony);
  });
}

CUresult copy_to_host(const char* name, void* to, CUdeviceptr from, std::size_t bytes,
                      CUstream stream, Synchrony synchrony) {
  return enter(name, kNeedsContext, [&](Call& call) {
    static_cast<void>(call.work_stream(stream));
    require_device(call, from, bytes);
    copy(call, host(to), from, bytes, stream, synchrony);
  });
}

CUresult copy_anywhere(const char* name, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                       CUstream stream, Synchrony synchrony) {
  return enter(name, kNeedsContext,
               [&](Call& call) { copy(call, to, from, bytes, stream, synchrony); });
}

template <typename Description>
CUresult copy_described(const char* name, const Description* described, CUstream stream,
                        Synchrony synchrony) {
  return enter(name, kNeedsContext, [&](Call& call) {
    require(described != nullptr, "there is no copy");
    static_cast<void>(call.work_stream(stream));
    copy_memory(call, copy_of(call.driver, *described), stream, synchrony);
  });
}

// A blocking copy between contexts is behind all work of both.
void order_behind(Call& call, std::initializer_list<Context*> contexts) {
  const auto stream = call.work_stream(nullptr);
  auto before = stream->dependencies();
  for (Context* context : contexts) {
    for (auto& task : context->ends()) before.push_back(std::move(task));
  }
  auto mark = std::make_shared<Task>();
  mark->what = call.text();
  mark->context = &stream->context;
  call.driver.submit(mark, stream->actor, before);
  stream->last = mark;
}

// A driver finds the memory by its address and copies all the same; the program means another.
void check_owner(Call& call, std::string_view side, CUdeviceptr address, const Context& context) {
  const auto extent = call.driver.memory.extent(address);
  const bool is_owned = extent.kind == MemoryKind::kDevice || extent.kind == MemoryKind::kPooled;
  if (extent.end == 0 || !is_owned) return;
  if (extent.device == context.device.ordinal()) return;
  call.driver.findings.report(
      "peer", fmt::format("{} has a context of device {} for the {}, which is memory of device {}",
                          call.text(), context.device.ordinal(), side, extent.device));
}

Context& side_context(Call& call, CUcontext handle, CUmemorytype type) {
  const bool is_host = type == CU_MEMORYTYPE_HOST && handle == nullptr;
  return is_host ? call.context() : *context_of(call, handle);
}

CUresult copy_between(const char* name, const CUDA_MEMCPY3D_PEER* described, CUstream stream,
                      Synchrony synchrony) {
  return enter(name, kNeedsContext, [&](Call& call) {
    require(described != nullptr, "there is no copy");
    Context& target = side_context(call, described->dstContext, described->dstMemoryType);
    Context& source = side_context(call, described->srcContext, described->srcMemoryType);
    const CopyOperation copy = copy_of(call.driver, *described);
    check_owner(call, "source", copy.from, source);
    check_owner(call, "target", copy.to, target);
    if (synchrony == Synchrony::kBlocking) order_behind(call, {&source, &target});
    copy_memory(call, copy, stream, synchrony);
  });
}

CUresult copy_between(const char* name, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, std::size_t bytes, CUstream stream,
                      Synchrony synchrony) {
  return enter(name, kNeedsContext, [&](Call& call) {
    const auto target = context_of(call, to_context);
    const auto source = context_of(call, from_context);
    check_owner(call, "source", from, *source);
    check_owner(call, "target", to, *target);
    if (synchrony == Synchrony::kBlocking) order_behind(call, {source.get(), target.get()});
    copy(call, to, from, bytes, stream, synchrony);
  });
}

}  // namespace

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy_to_device("cuMemcpyHtoD_v2", to, from, bytes, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes,
                                   CUstream stream) {
  return copy_to_device("cuMemcpyHtoDAsync_v2", to, from, bytes, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_to_host("cuMemcpyDtoH_v2", to, from, bytes, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_to_host("cuMemcpyDtoHAsync_v2", to, from, bytes, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_anywhere("cuMemcpyDtoD_v2", to, from, bytes, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                   CUstream stream) {
  return copy_anywhere("cuMemcpyDtoDAsync_v2", to, from, bytes, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_anywhere("cuMemcpy", to, from, bytes, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                               CUstream stream) {
  return copy_anywhere("cuMemcpyAsync", to, from, bytes, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                              CUcontext from_context, std::size_t bytes) {
  return copy_between("cuMemcpyPeer", to, to_context, from, from_context, bytes, nullptr,
                      Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                   CUcontext from_context, std::size_t bytes, CUstream stream) {
  return copy_between("cuMemcpyPeerAsync", to, to_context, from, from_context, bytes, stream,
                      Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D* described) {
  return copy_described("cuMemcpy2D_v2", described, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* described) {
  return copy_described("cuMemcpy2DUnaligned_v2", described, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D* described, CUstream stream) {
  return copy_described("cuMemcpy2DAsync_v2", described, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D* described) {
  return copy_described("cuMemcpy3D_v2", described, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D* described, CUstream stream) {
  return copy_described("cuMemcpy3DAsync_v2", described, stream, Synchrony::kAsynchronous);
}
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* described) {
  return copy_between("cuMemcpy3DPeer", described, nullptr, Synchrony::kBlocking);
}
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* described, CUstream stream) {
  return copy_between("cuMemcpy3DPeerAsync", described, stream, Synchrony::kAsynchronous);
}
