#include "kernels/call.h"

#include "error.h"

namespace opencl {

Call::Call(const loci::sdk::Prepare& prepare, const Source& source, const char* name)
    : device_(&loci::sdk::device_of<Device>(prepare.device())),
      kernel_(device_->make_kernel(source, name)),
      name_(name),
      mutex_(std::make_unique<std::mutex>()) {}

void Call::set(cl_uint argument, std::size_t bytes, const void* value) const {
  check(clSetKernelArg(kernel_.get(), argument, bytes, value), name_);
}

void Call::launch(const loci::sdk::Launch& launch) const {
  if (items_ == 0) return;
  auto* stream = loci::sdk::stream_of<Device>(launch.stream());
  Device::require(stream);
  const std::lock_guard lock(*mutex_);
  for (const Tensor& tensor : tensors_) {
    const void* address =
        tensor.is_input ? launch.input<char>(tensor.index) : launch.output<char>(tensor.index);
    const Location location = device_->locate(address);
    const cl_ulong first = location.offset / tensor.element_bytes;
    set(tensor.argument, sizeof location.buffer, &location.buffer);
    set(tensor.argument + 1, sizeof first, &first);
  }
  const std::size_t group = kGroup;
  const std::size_t total = (items_ + kGroup - 1) / kGroup * kGroup;
  cl_event event = nullptr;
  check(clEnqueueNDRangeKernel(stream->queue(), kernel_.get(), 1, nullptr, &total, &group, 0,
                               nullptr, &event),
        name_);
  stream->enqueued(event, name_, launch.correlation());
}

}  // namespace opencl
