// The kernels that the rules launch, as PTX.
#pragma once

namespace loci::cuda_rules {

// store(address, value), increment(address), spin(flag), index(address): what each thread's global
// index is, dynamic_shared(address, words): the sum of 0 .. words - 1 by way of shared memory,
// static_shared(address), pair(address, {u64, u32}): stores the sum, bounded(): at most 128
// threads, exact(): 64 threads, bump(): adds 1 to the global `counter`, read_constant(address),
// trap(), empty(). Globals: `counter` (u32, 5), `table` (16 words), constant `factor` (u32, 11).
extern const char* const kKernels;

// A loop of a conditional node: decrements the word at the address, and sets the condition to
// whether it is not zero yet. Needs cudaGraphSetConditional to be linked.
extern const char* const kLoopKernel;

// fail(): an assertion that does not hold.
extern const char* const kAssertKernel;

// One kernel alone, each of which calls or is called across modules.
extern const char* const kCallerKernel;
extern const char* const kCalledFunction;

}  // namespace loci::cuda_rules
