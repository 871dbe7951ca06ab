#include "tools/cuda_double/driver/node_parameters.h"

#include <fmt/format.h>

#include "tools/cuda_double/driver/enqueue.h"
#include "tools/cuda_double/driver/memory.h"

namespace loci::cuda_double {

KernelOperation operation_of(Call& call, const CUDA_KERNEL_NODE_PARAMS& described) {
  const void* handle = described.func != nullptr ? static_cast<const void*>(described.func)
                                                 : static_cast<const void*>(described.kern);
  Context& context = described.ctx == nullptr ? call.context() : *context_of(call, described.ctx);
  const auto function = function_of(call, handle, context);
  const LaunchShape shape{{described.gridDimX, described.gridDimY, described.gridDimZ},
                          {described.blockDimX, described.blockDimY, described.blockDimZ},
                          described.sharedMemBytes};
  return kernel_operation(function, shape, described.kernelParams, described.extra);
}

CopyOperation operation_of(Call& call, const CUDA_MEMCPY3D& described) {
  require(described.Height != 0 && described.Depth != 0 && described.WidthInBytes != 0,
          "the copy has no bytes");
  const CopyOperation copy = copy_of(call.driver, described);
  check_copy(call.driver, copy);
  return copy;
}

FillOperation operation_of(Call& call, const CUDA_MEMSET_NODE_PARAMS& described) {
  const FillOperation fill = fill_of(described);
  require(fill.width != 0 && fill.height != 0, "the fill has no bytes");
  check_fill(call.driver, fill);
  return fill;
}

HostOperation operation_of(Call&, const CUDA_HOST_NODE_PARAMS& described) {
  require(described.fn != nullptr, "there is no function");
  return {described.fn, described.userData};
}

CUDA_KERNEL_NODE_PARAMS description_of(Node& node, const KernelOperation& kernel) {
  const auto& layouts = kernel.function->code.parameters();
  node.parameter_pointers.clear();
  for (const auto& layout : layouts) {
    node.parameter_pointers.push_back(
        const_cast<std::byte*>(kernel.parameters.data() + layout.offset));
  }
  CUDA_KERNEL_NODE_PARAMS described{};
  described.func = handle_of<CUfunction>(kernel.function.get());
  described.gridDimX = kernel.grid.x;
  described.gridDimY = kernel.grid.y;
  described.gridDimZ = kernel.grid.z;
  described.blockDimX = kernel.block.x;
  described.blockDimY = kernel.block.y;
  described.blockDimZ = kernel.block.z;
  described.sharedMemBytes = kernel.dynamic_shared;
  described.kernelParams = node.parameter_pointers.data();
  described.ctx = handle_of<CUcontext>(&kernel.function->module->context);
  return described;
}

CUDA_MEMCPY3D description_of(Call& call, const CopyOperation& copy) {
  const auto is_device = [&](std::uint64_t address) {
    return place_of(call.driver, address) == Place::kDevice;
  };
  CUDA_MEMCPY3D described{};
  described.srcMemoryType = is_device(copy.from) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  described.dstMemoryType = is_device(copy.to) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  described.srcDevice = is_device(copy.from) ? copy.from : 0;
  described.srcHost = is_device(copy.from) ? nullptr : reinterpret_cast<const void*>(copy.from);
  described.dstDevice = is_device(copy.to) ? copy.to : 0;
  described.dstHost = is_device(copy.to) ? nullptr : reinterpret_cast<void*>(copy.to);
  described.WidthInBytes = copy.width;
  described.Height = copy.height;
  described.Depth = copy.depth;
  if (copy.height * copy.depth > 1) {
    described.srcPitch = copy.from_pitch;
    described.dstPitch = copy.to_pitch;
    described.srcHeight = copy.from_slice / copy.from_pitch;
    described.dstHeight = copy.to_slice / copy.to_pitch;
  }
  return described;
}

CUDA_MEMSET_NODE_PARAMS description_of(const FillOperation& fill) {
  return {fill.address, fill.pitch, fill.value, fill.element, fill.width, fill.height};
}

Context* node_context(Call& call, const Operation& operation, CUcontext named) {
  if (const auto* kernel = std::get_if<KernelOperation>(&operation)) {
    return &kernel->function->module->context;
  }
  return named == nullptr ? nullptr : context_of(call, named).get();
}

std::string node_text(const Operation& operation) {
  if (const auto* kernel = std::get_if<KernelOperation>(&operation)) {
    return fmt::format("graph node {}", kernel->function->code.name());
  }
  if (std::holds_alternative<CopyOperation>(operation)) return "graph node copy";
  if (std::holds_alternative<FillOperation>(operation)) return "graph node fill";
  return "graph node";
}

}  // namespace loci::cuda_double
