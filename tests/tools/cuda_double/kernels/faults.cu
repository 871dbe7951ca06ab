// Kernels with one mistake each, at the line that says "mistake".
#include <cuda_pipeline.h>

#include <cassert>

extern "C" __global__ void writes_past_end(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= count) out[i] = 1.0f;  // mistake: out_of_bounds
}

extern "C" __global__ void reads_before_begin(const float* in, float* out) {
  out[threadIdx.x] = in[static_cast<int>(threadIdx.x) - 1] + 1;  // mistake: before_begin
}

extern "C" __global__ void misaligned(const float* in, float* out) {
  const float4 value = *reinterpret_cast<const float4*>(in + 1);  // mistake: misaligned
  out[threadIdx.x] = value.x + value.y + value.z + value.w;
}

extern "C" __global__ void null_pointer(int* out) {
  *out = 1;  // mistake: null
}

extern "C" __global__ void shared_past_end(int* out, int index) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[index];  // mistake: shared_bounds
}

extern "C" __global__ void local_past_end(int* out, int index) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = out[i];
  out[threadIdx.x] = values[index];  // mistake: local_bounds
}

extern "C" __global__ void no_barrier(const int* in, int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = values[63 - threadIdx.x];  // mistake: no_barrier
}

extern "C" __global__ void no_second_barrier(const int* in, int* out) {
  __shared__ int values[64];
  for (int i = 0; i < 2; ++i) {
    values[threadIdx.x] = in[threadIdx.x + i];  // mistake: no_second_barrier
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
  }
}

extern "C" __global__ void no_warp_barrier(const int* in, int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = values[threadIdx.x ^ 1];  // mistake: no_warp_barrier
}

extern "C" __global__ void same_place(int* out) {
  __shared__ int value;
  value = threadIdx.x;  // mistake: same_place
  __syncthreads();
  out[threadIdx.x] = value;
}

extern "C" __global__ void counts_without_atomic(int* counter) {
  *counter += 1;  // mistake: counts_without_atomic
}

extern "C" __global__ void blocks_overlap(float* out) {
  out[blockIdx.x * (blockDim.x - 1) + threadIdx.x] = blockIdx.x;  // mistake: blocks_overlap
}

extern "C" __global__ void no_fence(const float* in, float* partial, unsigned* arrived,
                                    float* sum) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];
  if (atomicInc(arrived, gridDim.x - 1) != gridDim.x - 1) return;
  float total = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];  // mistake: no_fence
  *sum = total;
}

extern "C" __global__ void barrier_in_branch(int* out) {
  if (threadIdx.x < 16) __syncthreads();  // mistake: barrier_in_branch
  out[threadIdx.x] = 1;
  __syncthreads();
}

extern "C" __global__ void barrier_in_loop(int* out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    out[i] = i;
    __syncthreads();  // mistake: barrier_in_loop
  }
}

extern "C" __global__ void shuffle_in_branch(int* out) {
  int value = out[threadIdx.x];
  if (threadIdx.x < 16)
    value = __shfl_xor_sync(0xffffffff, value, 1);  // mistake: shuffle_in_branch
  __syncwarp();
  out[threadIdx.x] = value;
}

extern "C" __global__ void not_in_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, out[threadIdx.x], 0);  // mistake: not_in_mask
}

extern "C" __global__ void never_written(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + 1.0f;  // mistake: never_written
}

extern "C" __global__ void branches_on_unwritten(const int* in, int* out) {
  if (in[threadIdx.x] > 0) out[threadIdx.x] = 1;  // mistake: branches_on_unwritten
}

extern "C" __global__ void shared_never_written(float* out) {
  __shared__ float values[64];
  if (threadIdx.x < 32) values[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x] * 2;  // mistake: shared_never_written
}

extern "C" __global__ void atomic_on_unwritten(unsigned* counter) {
  atomicAdd(counter, 1u);  // mistake: atomic_on_unwritten
}

extern "C" __global__ void no_wait(const float4* in, float* out) {
  __shared__ float4 buffer[32];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  out[threadIdx.x] = buffer[threadIdx.x].x * 2;  // mistake: no_wait
}

extern "C" __global__ void endless(volatile int* flag) {
  while (*flag == 0) {  // mistake: endless
  }
}

extern "C" __global__ void asserts(const int* in) {
  assert(in[threadIdx.x] < 5);  // mistake: asserts
}

extern "C" __global__ void traps(const int* in) {
  if (in[threadIdx.x] == 7) __trap();  // mistake: traps
}

__device__ __noinline__ int endless_calls(int n) { return n + endless_calls(n + 1) * 2; }
extern "C" __global__ void recurses(int* out) { *out = endless_calls(*out); }

extern "C" __global__ void partner_missing(int* out) {
  // A barrier of two warps that one reaches.
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");  // mistake: partner_missing
  out[threadIdx.x] = 1;
}

__constant__ int constants[4] = {1, 2, 3, 4};
extern "C" __global__ void writes_constant() {
  int* writable = const_cast<int*>(constants);
  asm volatile("st.u32 [%0], %1;" ::"l"(writable), "r"(5));  // mistake: writes_constant
}
