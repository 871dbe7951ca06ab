// The driver answers questions about an address.
#include "tools/cuda_double/driver/memory.h"

namespace loci::cuda_double {
namespace {

template <typename T>
void answer_with(void* answer, T value) {
  *static_cast<T*>(answer) = value;
}

bool is_host(const Allocation& range) { return range.is_host(); }

void answer_of(Call& call, void* answer, CUpointer_attribute which, CUdeviceptr address,
               const Allocation& range) {
  const MemoryBlock* block = call.driver.blocks.around(address);
  const bool of_pool = block != nullptr && block->pool != nullptr;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer_with<CUcontext>(answer, block == nullptr || of_pool
                                                ? nullptr
                                                : reinterpret_cast<CUcontext>(block->context));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer_with(answer, is_host(range) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return answer_with<CUdeviceptr>(answer, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(is_host(range), "the host does not reach it");
      return answer_with<void*>(answer, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return answer_with<int>(answer, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return answer_with<unsigned long long>(answer, range.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return answer_with<unsigned char>(answer, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return answer_with<int>(answer, range.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return answer_with<CUdeviceptr>(answer, range.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return answer_with<std::size_t>(answer, range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: return answer_with<bool>(answer, true);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer_with<CUmemoryPool>(
          answer, of_pool ? reinterpret_cast<CUmemoryPool>(block->pool.get()) : nullptr);
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such attribute");
  }
}

}  // namespace

void pointer_attribute(Call& call, void* answer, CUpointer_attribute which, CUdeviceptr address) {
  require(answer != nullptr, "there is no place for the answer");
  const auto found = call.driver.memory.find(address);
  require(found.has_value() && !found->freed, "it is no address of the driver's");
  Allocation range = *found;
  if (const MemoryBlock* block = call.driver.blocks.around(address)) range.bytes = block->bytes;
  answer_of(call, answer, which, address, range);
}

void unknown_pointer_attribute(void* answer, CUpointer_attribute which) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return answer_with<CUcontext>(answer, nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return answer_with<unsigned>(answer, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return answer_with<CUdeviceptr>(answer, 0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return answer_with<void*>(answer, nullptr);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return answer_with<std::size_t>(answer, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return answer_with<int>(answer, -2);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return answer_with<unsigned char>(answer, 0);
    case CU_POINTER_ATTRIBUTE_MAPPED: return answer_with<bool>(answer, false);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return answer_with<unsigned long long>(answer, 0);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return answer_with<CUmemoryPool>(answer, nullptr);
    default: return;
  }
}

}  // namespace loci::cuda_double
