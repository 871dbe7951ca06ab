// Stream-ordered memory and its pools.
#include "tools/cuda_double/driver/pool.h"

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/memory.h"
#include "tools/cuda_double/driver/pool_access.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  return enter("cuMemAllocAsync", kNeedsContext, [&](Call& call) {
    auto& place = result(address);
    const auto on = call.stream(stream);
    place = allocate_async(call, bytes, stream, on->context.device.current_pool);
  });
}

CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                         CUstream stream) {
  return enter("cuMemAllocFromPoolAsync", kNeedsContext, [&](Call& call) {
    result(address) = allocate_async(call, bytes, stream, pool_of(call, pool));
  });
}

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return enter("cuMemFreeAsync", kNeedsContext,
               [&](Call& call) { free_async(call, address, stream); });
}

CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return enter("cuMemPoolCreate", kPlain, [&](Call& call) {
    auto& place = result(pool);
    require(properties != nullptr, "there are no properties");
    require(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                properties->location.id >= 0 &&
                properties->location.id < call.driver.device_count(),
            "a pool has pinned memory of a device");
    require(properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED,
            "the double shares no memory with other processes");
    auto made =
        std::make_shared<Pool>(call.driver.device(properties->location.id), properties->maxSize);
    call.driver.registry.add(made);
    place = handle_of<CUmemoryPool>(made.get());
  });
}

CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool) {
  return enter("cuMemPoolDestroy", kPlain, [&](Call& call) {
    const auto destroyed = pool_of(call, pool);
    Device& device = destroyed->device;
    require(device.default_pool != destroyed, "it is the device's own");
    if (device.current_pool == destroyed) device.current_pool = device.default_pool;
    call.driver.registry.remove(destroyed.get());
  });
}

CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, std::size_t keep) {
  return enter("cuMemPoolTrimTo", kPlain, [&](Call& call) { pool_of(call, pool)->trim(keep); });
}

CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
  return enter("cuMemPoolSetAttribute", kPlain,
               [&](Call& call) { pool_of(call, pool)->set(which, value); });
}

CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
  return enter("cuMemPoolGetAttribute", kPlain,
               [&](Call& call) { pool_of(call, pool)->get(which, value); });
}

CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* accesses,
                                    std::size_t count) {
  return enter("cuMemPoolSetAccess", kPlain, [&](Call& call) {
    const auto changed = pool_of(call, pool);
    check_access(call.driver, changed->device.ordinal(), accesses, count);
    PoolAccess access = changed->access();
    set_access(access, accesses, count);
    changed->set_access(access);
  });
}

CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool,
                                    CUmemLocation* location) {
  return enter("cuMemPoolGetAccess", kPlain, [&](Call& call) {
    const auto asked = pool_of(call, pool);
    require(location != nullptr, "there is no location");
    require(location->type == CU_MEM_LOCATION_TYPE_DEVICE, "access is of devices");
    const int device = call.driver.device(location->id).ordinal();
    const bool own = device == asked->device.ordinal();
    result(flags) = own ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : flags_of(asked->access(), device);
  });
}
