// fused(program): steps on one element after the other, whose values a thread keeps in shared
// memory, so that only inputs are read from far, and only outputs written. Each step is told apart
// anew for each element. An output may be an input that has its type and shape.
#include "kernels/device/elements.cuh"
#include "kernels/device/locate.cuh"
#include "kernels/fused_elementwise/fused_step.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

// Next to each other for the threads of a warp.
using Slots = Slot[kFusedSlots][kBlockThreads];

__device__ void load_inputs(const FusedProgram& program, std::int64_t position, Slots& slots) {
  const auto at = locate(program.axes, position);
#pragma unroll
  for (int i = 0; i < kFusedInputs; ++i) {
    if (i >= program.input_count) break;
    slots[i][threadIdx.x] = load_slot(program.types[i], program.inputs[i], at.of[i]);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    fused(const __grid_constant__ FusedProgram program) {
  __shared__ Slots slots;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < program.axes.count; i += turn.step) {
    load_inputs(program, i, slots);
#pragma unroll 1
    for (int number = 0; number < program.step_count; ++number) {
      const FusedStep& step = program.steps[number];
      const Slot result =
          result_of(step, slots[step.operands[0]][threadIdx.x],
                    slots[step.operands[1]][threadIdx.x], slots[step.operands[2]][threadIdx.x]);
      slots[step.result][threadIdx.x] = result;
      if (step.output >= 0) store_slot(step.to, program.outputs[step.output], i, result);
    }
  }
}

}  // namespace loci::cuda
