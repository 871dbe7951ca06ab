// The op relu in float32, by relu.cu.
#include "device.h"
#include "plugin.h"

namespace mycuda {
namespace {

struct Relu {
  void launch(const loci::sdk::Launch& launch) const {
    if (count == 0) return;
    constexpr unsigned kThreads = 256;
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    long long elements = count;
    void* arguments[] = {&x, &out, &elements};
    const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    const auto* stream = loci::sdk::stream_of<Device>(launch.stream());
    const Current current(*device);
    check(driver().cuLaunchKernel(device->relu(), blocks, 1, 1, kThreads, 1, 1, 0, stream->handle(),
                                  arguments, nullptr),
          "launching relu");
  }
  const Device* device;
  std::int64_t count;
};

void prepare_relu(loci::sdk::Prepare& prepare) {
  prepare.emplace<Relu>(&loci::sdk::device_of<Device>(prepare.device()),
                        prepare.op().output(0).numel());
}

}  // namespace

loci::sdk::KernelDef relu_kernel() {
  return {"relu",  "mycuda", LOCI_DTYPE_BIT(LOCI_DTYPE_F32), loci::sdk::make_kernel<prepare_relu>,
          nullptr, {{0, 0}}};
}

}  // namespace mycuda
