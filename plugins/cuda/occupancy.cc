#include "occupancy.h"

#include <algorithm>

namespace loci::cuda {
namespace {

constexpr std::uint32_t kWarp = 32;
// How devices since compute capability 3.0 hand registers and shared memory out.
constexpr std::uint32_t kRegistersOfWarp = 256;
constexpr std::uint64_t kSharedOfBlock = 128;

template <class Count>
Count rounded_up(Count count, Count unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace

MultiprocessorLimits limits_of(const Driver& driver, CUdevice device) {
  const auto ask = [&](CUdevice_attribute what) {
    int value = 0;
    const CUresult status = driver->cuDeviceGetAttribute(&value, what, device);
    return static_cast<std::uint32_t>(status == CUDA_SUCCESS ? value : 0);
  };
  return {ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
          ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
          ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
          ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
          ask(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)};
}

double occupancy_of(const MultiprocessorLimits& limits, const BlockNeeds& block) {
  if (limits.threads == 0 || block.threads == 0) return 0;
  const std::uint32_t warps = rounded_up(block.threads, kWarp) / kWarp;
  std::uint64_t blocks = std::min(limits.blocks, limits.threads / (warps * kWarp));
  const std::uint32_t registers = rounded_up(block.registers * kWarp, kRegistersOfWarp) * warps;
  if (registers != 0) blocks = std::min<std::uint64_t>(blocks, limits.registers / registers);
  const std::uint64_t shared = rounded_up(block.shared + limits.reserved_shared, kSharedOfBlock);
  if (shared != 0) blocks = std::min(blocks, limits.shared / shared);
  return static_cast<double>(blocks * warps * kWarp) / limits.threads;
}

}  // namespace loci::cuda
