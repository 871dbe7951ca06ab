// Ops that only change the shape: copies within the device, of every dtype.
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/kernel_list.h"
#include "kernels/move/device_copy.h"

namespace loci::cuda {
namespace {

struct WholeCopy {
  void launch(const sdk::Launch& launch) const {
    copy_on_device(*device, launch, launch.input<char>(0), launch.output<char>(0), bytes);
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

void add_reshape(Kernels& kernels) {
  for (const char* op : {"assign", "flatten", "reshape", "reshape_like", "squeeze", "unsqueeze"}) {
    kernels.push_back(enqueuing(op, sdk::kAllBits, sdk::make_kernel<prepare_whole_copy>, {{0, 0}}));
  }
}

}  // namespace loci::cuda
