// fill_constant and assign_value.
#include "error.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

struct Fill {
  void launch(const Launch& launch) const {
    device->fill(launch.output<float>(0), static_cast<std::uint64_t>(count) * sizeof value, &value,
                 sizeof value, loci::sdk::stream_of<Device>(launch.stream()), launch.correlation());
  }
  Device* device;
  std::int64_t count;
  float value;
};

class FillConstant final : public loci::sdk::Kernel {
 public:
  explicit FillConstant(const OpDesc& op)
      : value_(static_cast<float>(op.attributes().real("value"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Fill>(&loci::sdk::device_of<Device>(prepare.device()),
                          prepare.op().output(0).numel(), value_);
  }

 private:
  float value_;
};

std::string supports_fill(const OpDesc& op) {
  return op.has_input(1) ? "no value_tensor, only the attribute value" : "";
}

// The values lie in a buffer of the prepared kernel.
struct Assign {
  void launch(const Launch& launch) const {
    if (bytes == 0) return;
    auto* stream = loci::sdk::stream_of<Device>(launch.stream());
    Device::require(stream);
    const Location out = device->locate(launch.output<float>(0));
    cl_event event = nullptr;
    check(clEnqueueCopyBuffer(stream->queue(), values.get(), out.buffer, 0, out.offset, bytes, 0,
                              nullptr, &event),
          "assign_value");
    stream->enqueued(event, "assign_value", launch.correlation());
  }
  Device* device;
  Buffer values;
  std::uint64_t bytes;
};

class AssignValue final : public loci::sdk::Kernel {
 public:
  explicit AssignValue(const OpDesc& op) {
    for (const double value : op.attributes().reals("values")) {
      values_.push_back(static_cast<float>(value));
    }
  }
  void prepare(Prepare& prepare) const override {
    auto& device = loci::sdk::device_of<Device>(prepare.device());
    Buffer buffer;
    const std::uint64_t bytes = values_.size() * sizeof(float);
    if (bytes > 0) {
      std::vector<float> copied = values_;
      cl_int status = CL_SUCCESS;
      buffer = Buffer(clCreateBuffer(device.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     bytes, copied.data(), &status));
      check(status, "keeping the values of assign_value");
    }
    prepare.emplace<Assign>(&device, std::move(buffer), bytes);
  }

 private:
  std::vector<float> values_;
};

}  // namespace

void add_creation(Kernels& kernels) {
  kernels.push_back(
      {"fill_constant", kName, kFloat32, loci::sdk::make_kernel<FillConstant>, supports_fill});
  kernels.push_back({"assign_value", kName, kFloat32, loci::sdk::make_kernel<AssignValue>});
}

}  // namespace opencl
