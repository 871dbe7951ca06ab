// Ops that only change the shape: copies within the device, of every dtype.
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/kernel_list.h"

namespace loci::cuda {
namespace {

struct WholeCopy {
  void launch(const sdk::Launch& launch) const {
    const void* x = launch.input<char>(0);
    void* out = launch.output<char>(0);
    if (out == x || bytes == 0) return;
    Stream* stream = sdk::stream_of<Device>(launch.stream());
    Device::require(stream);
    const CurrentContext current(*device);
    device->faults().enter_launch();
    device->check(device->driver()->cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(out),
                                                      reinterpret_cast<CUdeviceptr>(x), bytes,
                                                      stream->handle()),
                  "copying on the device");
  }
  Device* device;
  std::uint64_t bytes;
};

void prepare_whole_copy(sdk::Prepare& prepare) {
  const auto out = prepare.op().output(0);
  prepare.emplace<WholeCopy>(
      &sdk::device_of<Device>(prepare.device()),
      static_cast<std::uint64_t>(out.numel()) * sdk::dtype_bytes(out.dtype()));
}

}  // namespace

void add_movement(Kernels& kernels) {
  for (const char* op : {"assign", "flatten", "reshape", "reshape_like", "squeeze", "unsqueeze"}) {
    kernels.push_back({op,
                       kName,
                       sdk::kAllBits,
                       sdk::make_kernel<prepare_whole_copy>,
                       nullptr,
                       {{0, 0}},
                       LOCI_KERNEL_CAPTURABLE});
  }
}

}  // namespace loci::cuda
