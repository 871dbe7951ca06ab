#include "tools/cuda_double/driver/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/cuda_double/driver/enqueue.h"

namespace loci::cuda_double {
namespace {

const Device& device_of(const LoadedFunction& function) { return function.module->context.device; }

std::vector<std::byte> packed(const LoadedFunction& function, void** parameters) {
  std::vector<std::byte> bytes(function.code.attributes().parameter_bytes);
  const auto& layouts = function.code.parameters();
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    require(parameters[i] != nullptr, "a parameter is missing");
    std::memcpy(bytes.data() + layouts[i].offset, parameters[i], layouts[i].bytes);
  }
  return bytes;
}

struct Buffer {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

Buffer buffer_of(void** extra) {
  Buffer buffer;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer.data = static_cast<const std::byte*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      buffer.bytes = *static_cast<const std::size_t*>(extra[1]);
    } else {
      throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such way to pass parameters");
    }
  }
  return buffer;
}

// A buffer that is too small leaves the rest to chance on a device; here it is zero, and reported.
std::vector<std::byte> from_buffer(const LoadedFunction& function, void** extra) {
  const Buffer buffer = buffer_of(extra);
  std::vector<std::byte> bytes(function.code.attributes().parameter_bytes);
  require(buffer.bytes <= bytes.size(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          "the buffer has more bytes than the kernel has parameters");
  require(buffer.data != nullptr || buffer.bytes == 0, "the buffer has no address");
  if (buffer.bytes < bytes.size()) {
    Driver& driver = Driver::get();
    driver.findings.report("parameters",
                           fmt::format("{} {} has {} of {} bytes of parameters", driver.call_name(),
                                       function.code.name(), buffer.bytes, bytes.size()));
  }
  if (buffer.bytes != 0) std::memcpy(bytes.data(), buffer.data, buffer.bytes);
  return bytes;
}

void check_extent(const Device& device, std::uint32_t value, CUdevice_attribute limit) {
  require(value != 0 && value <= static_cast<std::uint32_t>(device.attribute(limit)),
          "an extent of the launch is 0 or beyond the device's limit");
}

}  // namespace

void check_shape(const LoadedFunction& function, const LaunchShape& shape) {
  const Device& device = device_of(function);
  check_extent(device, shape.grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  check_extent(device, shape.grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  check_extent(device, shape.grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  check_extent(device, shape.block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  check_extent(device, shape.block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  check_extent(device, shape.block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  const auto& known = function.code.attributes();
  require(shape.block.count() <= known.max_threads, "a block has more threads than the kernel may");
  if (known.required_block.has_value()) {
    const Dim3& required = *known.required_block;
    require(
        shape.block.x == required.x && shape.block.y == required.y && shape.block.z == required.z,
        "the kernel needs blocks of another shape");
  }
  require(shape.dynamic_shared <= static_cast<std::uint32_t>(function.max_dynamic_shared),
          "more dynamic shared memory than the function may have");
}

KernelOperation kernel_operation(const std::shared_ptr<LoadedFunction>& function,
                                 const LaunchShape& shape, void** parameters, void** extra) {
  check_shape(*function, shape);
  const bool has_extra = extra != nullptr && *extra != CU_LAUNCH_PARAM_END;
  require(parameters == nullptr || !has_extra, "parameters come in both forms");
  require(parameters != nullptr || has_extra || function->code.parameters().empty(),
          "the kernel needs parameters");
  KernelOperation kernel;
  kernel.function = function;
  kernel.grid = shape.grid;
  kernel.block = shape.block;
  kernel.dynamic_shared = shape.dynamic_shared;
  kernel.parameters = has_extra ? from_buffer(*function, extra) : packed(*function, parameters);
  return kernel;
}

void check_cooperative(const KernelOperation& kernel) {
  const auto& function = *kernel.function;
  const int blocks =
      active_blocks(function, static_cast<int>(kernel.block.count()), kernel.dynamic_shared);
  const auto fit = static_cast<std::uint64_t>(
      blocks * device_of(function).attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  require(kernel.grid.count() <= fit, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
          "not all blocks run at once");
}

void launch_kernel(Call& call, KernelOperation kernel, CUstream handle) {
  const auto stream = call.work_stream(handle);
  require(&kernel.function->module->context == &stream->context, CUDA_ERROR_INVALID_HANDLE,
          "the function and the stream are of two contexts");
  if (kernel.cooperative) check_cooperative(kernel);
  const std::string what = fmt::format("{} {}", call.text(), kernel.function->code.name());
  enqueue(call, stream, std::move(kernel), what);
}

int active_blocks(const LoadedFunction& function, int threads, std::size_t dynamic) {
  const Device& device = device_of(function);
  const auto limit = [&](CUdevice_attribute which) { return device.attribute(which); };
  if (threads > limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) return 0;
  const auto shared =
      static_cast<int>(std::min<std::size_t>(function.shared_bytes(dynamic), std::size_t{1} << 30));
  if (shared > limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)) return 0;
  constexpr int kWarp = 32;
  constexpr int kRegisterUnit = 256;  // of a warp
  constexpr int kSharedUnit = 128;
  const int warps = (threads + kWarp - 1) / kWarp;
  const int registers = function.attribute(CU_FUNC_ATTRIBUTE_NUM_REGS) * kWarp;
  const int registers_of_warp = (registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  const int reserved = limit(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  const int shared_of_block = (shared + reserved + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
  return std::min(
      {limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
       limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / (warps * kWarp),
       limit(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) / (registers_of_warp * warps),
       limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / shared_of_block});
}

}  // namespace loci::cuda_double
