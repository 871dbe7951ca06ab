// Initialisation, errors and devices.
#include <cstring>

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"

namespace loci::cuda_double {
namespace {

void copy_text(char* to, int room, const std::string& text, bool whole) {
  require(to != nullptr && room > 0, "there is no place for the text");
  const auto fits = static_cast<std::size_t>(room) - 1;
  require(!whole || text.size() <= fits, "the place is too small for the text");
  const std::size_t length = std::min(text.size(), fits);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

CUuuid uuid_of(const Device& device) {
  CUuuid uuid{};
  std::memcpy(uuid.bytes, "Loci CUDA double", sizeof uuid.bytes);
  uuid.bytes[15] = static_cast<char>('A' + device.number());
  return uuid;
}

}  // namespace
}  // namespace loci::cuda_double

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

CUresult CUDAAPI cuInit(unsigned flags) {
  return enter("cuInit", kBeforeInit, [&](Call& call) {
    require(flags == 0, "flags have to be 0");
    call.driver.initialise();
  });
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  return enter("cuDriverGetVersion", kBeforeInit | kInHostFunctions, [&](Call& call) {
    require(version != nullptr, "there is no place for the version");
    *version = call.driver.settings.version;
  });
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = error_name(error);
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = error_text(error);
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  return enter("cuDeviceGet", kPlain, [&](Call& call) {
    require(device != nullptr, "there is no place for the device");
    *device = call.driver.device(ordinal).ordinal();
  });
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  return enter("cuDeviceGetCount", kPlain, [&](Call& call) {
    require(count != nullptr, "there is no place for the count");
    *count = call.driver.device_count();
  });
}

CUresult CUDAAPI cuDeviceGetName(char* name, int room, CUdevice device) {
  return enter("cuDeviceGetName", kPlain, [&](Call& call) {
    copy_text(name, room, call.driver.device(device).name(), false);
  });
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return enter("cuDeviceGetUuid_v2", kPlain, [&](Call& call) {
    require(uuid != nullptr, "there is no place for the answer");
    *uuid = uuid_of(call.driver.device(device));
  });
}

CUresult CUDAAPI cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return enter("cuDeviceTotalMem_v2", kPlain, [&](Call& call) {
    require(bytes != nullptr, "there is no place for the answer");
    *bytes = call.driver.device(device).total();
  });
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  return enter("cuDeviceGetAttribute", kPlain, [&](Call& call) {
    require(value != nullptr, "there is no place for the value");
    *value = call.driver.device(device).attribute(which);
  });
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char* id, int room, CUdevice device) {
  return enter("cuDeviceGetPCIBusId", kPlain,
               [&](Call& call) { copy_text(id, room, call.driver.device(device).bus_id(), true); });
}

CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return enter("cuDeviceGetByPCIBusId", kPlain, [&](Call& call) {
    require(device != nullptr && id != nullptr, "there is no id");
    for (int ordinal = 0; ordinal < call.driver.device_count(); ++ordinal) {
      if (call.driver.device(ordinal).bus_id() != id) continue;
      *device = ordinal;
      return;
    }
    throw DriverError(CUDA_ERROR_INVALID_VALUE, "no device has that id");
  });
}

CUresult CUDAAPI cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return enter("cuDeviceCanAccessPeer", kPlain, [&](Call& call) {
    require(can != nullptr, "there is no place for the answer");
    const bool other = call.driver.device(device).ordinal() != call.driver.device(peer).ordinal();
    *can = other && call.driver.settings.have_peers ? 1 : 0;
  });
}

CUresult CUDAAPI cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute which, CUdevice device,
                                         CUdevice peer) {
  return enter("cuDeviceGetP2PAttribute", kPlain, [&](Call& call) {
    require(value != nullptr, "there is no place for the value");
    const bool other = call.driver.device(device).ordinal() != call.driver.device(peer).ordinal();
    require(other, CUDA_ERROR_INVALID_DEVICE, "a device is no peer of itself");
    const bool is_of_access = which == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
                              which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    *value = is_of_access && call.driver.settings.have_peers ? 1 : 0;
  });
}

CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return enter("cuDeviceGetDefaultMemPool", kPlain, [&](Call& call) {
    require(pool != nullptr, "there is no place for the pool");
    *pool = handle_of<CUmemoryPool>(call.driver.device(device).default_pool.get());
  });
}

CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return enter("cuDeviceGetMemPool", kPlain, [&](Call& call) {
    require(pool != nullptr, "there is no place for the pool");
    *pool = handle_of<CUmemoryPool>(call.driver.device(device).current_pool.get());
  });
}

CUresult CUDAAPI cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return enter("cuDeviceSetMemPool", kPlain, [&](Call& call) {
    Device& target = call.driver.device(device);
    const auto chosen = pool_of(call, pool);
    require(&chosen->device == &target, "the pool is of another device");
    target.current_pool = chosen;
  });
}
