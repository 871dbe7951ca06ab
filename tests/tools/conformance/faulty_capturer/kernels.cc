#include "kernels.h"

#include <cstring>
#include <vector>

#include "device.h"
#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {
namespace {

struct Assign {
  void launch(const sdk::Launch& launch) const {
    auto* stream = sdk::stream_of<CapturingDevice>(launch.raw().stream);
    const bool is_recorded = (launch.raw().flags & LOCI_LAUNCH_CAPTURING) != 0;
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    if (has("kernel_synchronizes")) stream->synchronize();
    if (has("kernel_runs_at_once") && is_recorded) std::memcpy(out, x, bytes);
    Node node{{LOCI_DEVICE_WORK_KERNEL, LOCI_COPY_UNKNOWN, 0, launch.raw().correlation},
              "kernel",
              0,
              {const_cast<float*>(x), out},
              [bytes = bytes](const std::vector<void*>& arguments) {
                if (bytes > 0) std::memmove(arguments[1], arguments[0], bytes);
              }};
    if (has("kernel_reads_at_launch") && is_recorded) {
      std::vector<char> kept(bytes);
      std::memcpy(kept.data(), x, bytes);
      node.body = [kept](const std::vector<void*>& arguments) {
        std::memcpy(arguments[1], kept.data(), kept.size());
      };
    }
    stream->add(std::move(node));
  }
  std::size_t bytes;
};

void prepare_assign(sdk::Prepare& prepare) {
  prepare.emplace<Assign>(static_cast<std::size_t>(prepare.op().output(0).numel()) * sizeof(float));
}

}  // namespace

sdk::KernelList capturable_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  return sdk::KernelList({{"assign",
                           "plain",
                           kFloat32,
                           sdk::make_kernel<prepare_assign>,
                           nullptr,
                           {},
                           LOCI_KERNEL_CAPTURABLE}});
}

}  // namespace loci::faulty
