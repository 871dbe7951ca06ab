// Ops that only change the shape: copies within the device, of every dtype.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Launch;
using loci::sdk::Prepare;

struct Copy {
  void launch(const Launch& launch) const {
    const void* x = launch.input<char>(0);
    void* out = launch.output<char>(0);
    if (out == x) return;  // in place, or both empty
    loci_copy copy{};
    copy.struct_size = sizeof copy;
    copy.source_end = copy.target_end = LOCI_END_DEVICE;
    copy.source = x;
    copy.target = out;
    copy.row_bytes = bytes;
    copy.rows = 1;
    copy.correlation = launch.correlation();
    device->copy(copy, loci::sdk::stream_of<Device>(launch.stream()));
  }
  Device* device;
  std::uint64_t bytes;
};

void prepare_copy(Prepare& prepare) {
  const auto out = prepare.op().output(0);
  prepare.emplace<Copy>(
      &loci::sdk::device_of<Device>(prepare.device()),
      static_cast<std::uint64_t>(out.numel()) * loci::sdk::dtype_bytes(out.dtype()));
}

}  // namespace

void add_movement(Kernels& kernels) {
  for (const char* op : {"assign", "flatten", "reshape", "reshape_like", "squeeze", "unsqueeze"}) {
    kernels.push_back(
        {op, kName, loci::sdk::kAllBits, loci::sdk::make_kernel<prepare_copy>, nullptr, {{0, 0}}});
  }
}

}  // namespace opencl
