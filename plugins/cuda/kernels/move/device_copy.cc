#include "kernels/move/device_copy.h"

#include "device.h"

namespace loci::cuda {

void copy_on_device(Device& device, const sdk::Launch& launch, const void* from, void* to,
                    std::uint64_t bytes) {
  if (to == from || bytes == 0) return;
  Stream* stream = sdk::stream_of<Device>(launch.stream());
  Device::require(stream);
  const CurrentContext current(device);
  device.faults().enter_launch();
  device.check(device.driver()->cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                                  reinterpret_cast<CUdeviceptr>(from), bytes,
                                                  stream->handle()),
               "copying on the device");
}

void fill_on_device(Device& device, const sdk::Launch& launch, void* to, unsigned char byte,
                    std::uint64_t bytes) {
  if (bytes == 0) return;
  Stream* stream = sdk::stream_of<Device>(launch.stream());
  Device::require(stream);
  const CurrentContext current(device);
  device.faults().enter_launch();
  device.check(device.driver()->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(to), byte, bytes,
                                                stream->handle()),
               "filling memory of the device");
}

}  // namespace loci::cuda
