// Launches and occupancy.
#include "tools/cuda_double/driver/launches.h"

#include "tools/cuda_double/driver/api/exports.h"
#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/launch_attributes.h"

using namespace loci::cuda_double;  // NOLINT: all that follows is the API

namespace {

CUresult launch(const char* name, CUfunction function, const LaunchShape& shape, CUstream stream,
                void** parameters, void** extra, bool cooperative) {
  return enter(name, kNeedsContext, [&](Call& call) {
    const auto on = call.work_stream(stream);
    const auto launched = function_of(call, function, on->context);
    auto kernel = kernel_operation(launched, shape, parameters, extra);
    kernel.cooperative = cooperative;
    launch_kernel(call, std::move(kernel), stream);
  });
}

}  // namespace

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared, CUstream stream,
                                void** parameters, void** extra) {
  const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  return launch("cuLaunchKernel", function, shape, stream, parameters, extra, false);
}

CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                           unsigned grid_z, unsigned block_x, unsigned block_y,
                                           unsigned block_z, unsigned shared, CUstream stream,
                                           void** parameters) {
  const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
  return launch("cuLaunchCooperativeKernel", function, shape, stream, parameters, nullptr, true);
}

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                  void** parameters, void** extra) {
  return enter("cuLaunchKernelEx", kNeedsContext, [&](Call& call) {
    require(config != nullptr, "there is no configuration");
    const auto on = call.work_stream(config->hStream);
    const auto launched = function_of(call, function, on->context);
    const LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                            {config->blockDimX, config->blockDimY, config->blockDimZ},
                            config->sharedMemBytes};
    auto kernel = kernel_operation(launched, shape, parameters, extra);
    const LaunchAttributes attributes = read_attributes(call, *config, *on);
    kernel.cooperative = attributes.cooperative;
    kernel.overlaps = attributes.overlaps && !launched->code.waits_for_grids();
    launch_kernel(call, std::move(kernel), config->hStream);
    if (attributes.programmatic_event) attributes.programmatic_event->record_at(on->last);
    if (attributes.completion_event) {
      attributes.completion_event->record_at(call.driver.mark_beside_kernel(*on));
    }
  });
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, CUfunction function, int threads, std::size_t dynamic, unsigned flags) {
  return enter("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", kNeedsContext,
               [&](Call& call) {
                 require(flags <= CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE, "unknown flags");
                 require(threads > 0, "there are no threads");
                 const auto asked = function_of(call, function, call.context());
                 result(blocks) = active_blocks(*asked, threads, dynamic);
               });
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                             int threads, std::size_t dynamic) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic,
                                                              CU_OCCUPANCY_DEFAULT);
}

CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                  CUoccupancyB2DSize dynamic_of_block,
                                                  std::size_t dynamic, int limit) {
  return enter("cuOccupancyMaxPotentialBlockSize", kNeedsContext, [&](Call& call) {
    constexpr int kWarp = 32;
    const auto asked = function_of(call, function, call.context());
    int most = static_cast<int>(asked->code.attributes().max_threads);
    if (limit > 0) most = std::min(most, limit);
    int best_threads = 0;
    for (int threads = most / kWarp * kWarp; threads > 0; threads -= kWarp) {
      const std::size_t bytes = dynamic_of_block == nullptr ? dynamic : dynamic_of_block(threads);
      const int blocks = active_blocks(*asked, threads, bytes);
      if (blocks * threads <= best_threads) continue;
      best_threads = blocks * threads;
      result(block) = threads;
      result(grid) =
          blocks * call.context().device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    }
    require(best_threads > 0, "no block fits");
  });
}

CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function,
                                                         int blocks, int threads) {
  return enter("cuOccupancyAvailableDynamicSMemPerBlock", kNeedsContext, [&](Call& call) {
    require(blocks > 0 && threads > 0, "there are no blocks");
    const auto asked = function_of(call, function, call.context());
    const Device& device = call.context().device;
    const int of_block =
        device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) / blocks -
        device.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK) -
        static_cast<int>(asked->shared_bytes(0));
    result(bytes) =
        static_cast<std::size_t>(std::max(0, std::min(of_block, asked->max_dynamic_shared)));
  });
}
