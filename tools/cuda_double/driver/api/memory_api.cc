// Memory of devices and of the host.
#include "tools/cuda_double/driver/memory.h"

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {
constexpr std::size_t kPitchUnit = 512;
}

CUresult CUDAAPI cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return enter("cuMemGetInfo_v2", kNeedsContext, [&](Call& call) {
    if (free != nullptr) *free = call.context().device.free();
    if (total != nullptr) *total = call.context().device.total();
  });
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return enter("cuMemAlloc_v2", kNeedsContext | kUnsafeInCapture, [&](Call& call) {
    result(address) = 0;
    *address = allocate_memory(call, bytes);
  });
}

CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                                 std::size_t height, unsigned element) {
  return enter("cuMemAllocPitch_v2", kNeedsContext | kUnsafeInCapture, [&](Call& call) {
    require(element == 4 || element == 8 || element == 16, "an element has 4, 8 or 16 bytes");
    require(width != 0 && height != 0, "0 bytes");
    result(pitch) = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
    result(address) = allocate_memory(call, *pitch * height);
  });
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  const unsigned needs =
      address == 0 && ThreadState::get().contexts.empty() ? kPlain : kNeedsContext;
  return enter("cuMemFree_v2", needs | kUnsafeInCapture,
               [&](Call& call) { free_memory(call, address); });
}

CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return enter("cuMemGetAddressRange_v2", kNeedsContext, [&](Call& call) {
    const Allocation range = address_range(call, address);
    if (base != nullptr) *base = range.base;
    if (bytes != nullptr) *bytes = range.bytes;
  });
}

CUresult CUDAAPI cuMemAllocHost(void** data, std::size_t bytes) {
  return enter("cuMemAllocHost_v2", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { result(data) = allocate_pinned(call, bytes, 0); });
}

CUresult CUDAAPI cuMemHostAlloc(void** data, std::size_t bytes, unsigned flags) {
  return enter("cuMemHostAlloc", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { result(data) = allocate_pinned(call, bytes, flags); });
}

CUresult CUDAAPI cuMemFreeHost(void* data) {
  return enter("cuMemFreeHost", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { free_pinned(call, data); });
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* address, void* data, unsigned flags) {
  return enter("cuMemHostGetDevicePointer_v2", kNeedsContext, [&](Call& call) {
    require(flags == 0, "flags have to be 0");
    static_cast<void>(host_block(call, data));
    result(address) = reinterpret_cast<CUdeviceptr>(data);
  });
}

CUresult CUDAAPI cuMemHostGetFlags(unsigned* flags, void* data) {
  return enter("cuMemHostGetFlags", kNeedsContext,
               [&](Call& call) { result(flags) = host_block(call, data).flags; });
}

CUresult CUDAAPI cuMemHostRegister(void* data, std::size_t bytes, unsigned flags) {
  return enter("cuMemHostRegister_v2", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { register_pages(call, data, bytes, flags); });
}

CUresult CUDAAPI cuMemHostUnregister(void* data) {
  return enter("cuMemHostUnregister", kNeedsContext | kUnsafeInCapture,
               [&](Call& call) { unregister_pages(call, data); });
}

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr*, std::size_t, unsigned) {
  return enter("cuMemAllocManaged", kNeedsContext, [](Call&) {
    throw DriverError(CUDA_ERROR_NOT_SUPPORTED, "the double has no managed memory");
  });
}

CUresult CUDAAPI cuPointerGetAttribute(void* answer, CUpointer_attribute which,
                                       CUdeviceptr address) {
  return enter("cuPointerGetAttribute", kPlain,
               [&](Call& call) { pointer_attribute(call, answer, which, address); });
}

CUresult CUDAAPI cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** answers,
                                        CUdeviceptr address) {
  return enter("cuPointerGetAttributes", kPlain, [&](Call& call) {
    require(which != nullptr && answers != nullptr, "there are no attributes");
    for (unsigned i = 0; i < count; ++i) {
      try {
        pointer_attribute(call, answers[i], which[i], address);
      } catch (const DriverError&) {
        unknown_pointer_attribute(answers[i], which[i]);
      }
    }
  });
}
