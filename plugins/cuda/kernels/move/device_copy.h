// Runs of bytes on the device, copied or filled by the driver.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::cuda {

class Device;

// Each enqueues, unless there is nothing to do. Throws Error.
void copy_on_device(Device& device, const sdk::Launch& launch, const void* from, void* to,
                    std::uint64_t bytes);
void fill_on_device(Device& device, const sdk::Launch& launch, void* to, unsigned char byte,
                    std::uint64_t bytes);

}  // namespace loci::cuda
