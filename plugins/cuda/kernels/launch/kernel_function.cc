#include "kernels/launch/kernel_function.h"

#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>

#include "device.h"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/team_size.h"

namespace loci::cuda {
namespace {

// The blocks that fit at once, four times over, so that a slow one at the end matters little.
constexpr std::int64_t kBlocksOfMultiprocessor = 4 * 2048 / kBlockThreads;

std::string_view dtype_suffix(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_BOOL: return "_bool";
    case LOCI_DTYPE_I8: return "_i8";
    case LOCI_DTYPE_I16: return "_i16";
    case LOCI_DTYPE_I32: return "_i32";
    case LOCI_DTYPE_I64: return "_i64";
    case LOCI_DTYPE_U8: return "_u8";
    case LOCI_DTYPE_U16: return "_u16";
    case LOCI_DTYPE_U32: return "_u32";
    case LOCI_DTYPE_U64: return "_u64";
    case LOCI_DTYPE_F16: return "_f16";
    case LOCI_DTYPE_BF16: return "_bf16";
    case LOCI_DTYPE_F32: return "_f32";
    case LOCI_DTYPE_F64: return "_f64";
    default: sdk::fail_dtype(dtype);
  }
}

}  // namespace

std::string typed_name(std::string_view stem, loci_dtype dtype) {
  return std::string(stem).append(dtype_suffix(dtype));
}

loci_dtype as_unsigned(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_BOOL:
    case LOCI_DTYPE_I8: return LOCI_DTYPE_U8;
    case LOCI_DTYPE_I16: return LOCI_DTYPE_U16;
    case LOCI_DTYPE_I32: return LOCI_DTYPE_U32;
    case LOCI_DTYPE_I64: return LOCI_DTYPE_U64;
    default: return dtype;
  }
}

loci_dtype of_size(std::uint64_t bytes) {
  switch (bytes) {
    case 1: return LOCI_DTYPE_U8;
    case 2: return LOCI_DTYPE_U16;
    case 4: return LOCI_DTYPE_U32;
    default: return LOCI_DTYPE_U64;
  }
}

std::int64_t lanes_of(loci_dtype dtype) { return vector_lanes(dtype); }

std::int64_t vectors_of(std::int64_t count, loci_dtype dtype) {
  const std::int64_t lanes = lanes_of(dtype);
  return (count + lanes - 1) / lanes;
}

KernelFunction::KernelFunction(const sdk::Prepare& prepare, const KernelImage& image,
                               const std::string& name)
    : KernelFunction(
          sdk::device_of<Device>(prepare.device()),
          sdk::device_of<Device>(prepare.device()).modules().function(image, name.c_str())) {}

KernelFunction::KernelFunction(Device& device, CUfunction function)
    : device_(device),
      function_(function),
      most_blocks_(kBlocksOfMultiprocessor * device_.multiprocessors()) {}

KernelFunction::KernelFunction(const sdk::Prepare& prepare, const KernelImage& image,
                               const std::string& name, std::uint32_t shared_bytes)
    : KernelFunction(prepare, image, name) {
  const CurrentContext current(device_);
  const RelaxedCapture relaxed(device_.driver());
  device_.check(device_.driver()->cuFuncSetAttribute(
                    function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    static_cast<int>(shared_bytes)),
                "giving a kernel more shared memory");
}

void KernelFunction::enqueue(const sdk::Launch& launch, const LaunchSize& size,
                             void** arguments) const {
  if (size.items == 0) return;
  Device::Stream* stream = sdk::stream_of<Device>(launch.stream());
  Device::require(stream);
  const CurrentContext current(device_);
  device_.faults().enter_launch();
  const std::int64_t wanted = (size.items + kBlockThreads - 1) / kBlockThreads;
  const auto blocks = static_cast<unsigned>(std::min({wanted, most_blocks_, size.most_blocks}));
  device_.check(
      device_.driver()->cuLaunchKernel(function_, blocks, 1, 1, size.threads, 1, 1,
                                       size.shared_bytes, stream->handle(), arguments, nullptr),
      "launching a kernel");
  const bool is_recorded = (launch.raw().flags & LOCI_LAUNCH_CAPTURING) != 0;
  if (is_recorded) ++stream->recording().launches.plain_functions;
}

}  // namespace loci::cuda
