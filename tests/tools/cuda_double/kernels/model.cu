// Kernels as a deep-learning backend has them, all right.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

extern "C" __global__ void add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

// 16 bytes at once, and the rest one by one.
extern "C" __global__ void add_vectors(const float* a, const float* b, float* sum, int count) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < count) {
    const float4 x = *reinterpret_cast<const float4*>(a + i);
    const float4 y = *reinterpret_cast<const float4*>(b + i);
    *reinterpret_cast<float4*>(sum + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  } else {
    for (int j = i; j < count; ++j) sum[j] = a[j] + b[j];
  }
}

extern "C" __global__ void gelu_halves(const __half2* x, __half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const float2 value = __half22float2(x[i]);
  const auto gelu = [](float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); };
  y[i] = __floats2half2_rn(gelu(value.x), gelu(value.y));
}

extern "C" __global__ void scale_halves(const __half* x, const __half* bias, __half* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = __hfma(x[i], x[i], bias[i]);
}

extern "C" __global__ void scale_bfloats(const __nv_bfloat16* x, const __nv_bfloat16* bias,
                                         __nv_bfloat16* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = __hadd(__hmul(x[i], x[i]), bias[i]);
}

// A row a block; rows of any length.
extern "C" __global__ void layer_norm(const float* x, const float* gain, float* y, int width) {
  __shared__ float partial[2][32];
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    sum += row[i];
    squares += row[i] * row[i];
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, step);
    squares += __shfl_xor_sync(0xffffffff, squares, step);
  }
  if (threadIdx.x % 32 == 0) {
    partial[0][threadIdx.x / 32] = sum;
    partial[1][threadIdx.x / 32] = squares;
  }
  __syncthreads();
  sum = squares = 0.0f;
  for (int i = 0; i < blockDim.x / 32; ++i) {
    sum += partial[0][i];
    squares += partial[1][i];
  }
  const float mean = sum / width;
  const float scale = rsqrtf(squares / width - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[static_cast<size_t>(blockIdx.x) * width + i] = (row[i] - mean) * scale * gain[i];
  }
}

extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (row + i < rows && column < columns) {
      tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * columns + column];
    }
  }
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (row + i < columns && column < rows) {
      y[(row + i) * rows + column] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}

// Philox4x32-10.
extern "C" __global__ void philox(uint64_t key, uint32_t* words, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  uint4 c = make_uint4(i, 0, 0, 0);
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint32_t high0 = __umulhi(0xD2511F53u, c.x);
    const uint32_t low0 = 0xD2511F53u * c.x;
    const uint32_t high1 = __umulhi(0xCD9E8D57u, c.z);
    const uint32_t low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k0, low1, high0 ^ c.w ^ k1, low0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  reinterpret_cast<uint4*>(words)[i] = c;
}

extern "C" __global__ void histogram(const uint8_t* values, unsigned* bins, int count) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[values[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

// The last block to finish adds the others' sums.
extern "C" __global__ void sum_of_all(const float* x, float* partial, unsigned* arrived, float* sum,
                                      int count) {
  __shared__ float parts[128];
  __shared__ bool is_last;
  float own = 0.0f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < count; i += gridDim.x * 128) own += x[i];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = parts[0];
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  float total = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
  *sum = total;
}

// Tiles of 4 x 128 floats through shared memory, two of them under way.
extern "C" __global__ void scale_tiles(const float* x, float* y, int tiles) {
  __shared__ float4 buffer[2][128];
  const float4* from =
      reinterpret_cast<const float4*>(x) + static_cast<size_t>(blockIdx.x) * tiles * 128;
  float4* to = reinterpret_cast<float4*>(y) + static_cast<size_t>(blockIdx.x) * tiles * 128;
  __pipeline_memcpy_async(&buffer[0][threadIdx.x], &from[threadIdx.x], 16);
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(&buffer[(tile + 1) % 2][threadIdx.x],
                              &from[(tile + 1) * 128 + threadIdx.x], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    // The neighbour's, so that the barrier matters.
    const float4 value = buffer[tile % 2][threadIdx.x ^ 1];
    to[tile * 128 + (threadIdx.x ^ 1)] =
        make_float4(2 * value.x, 2 * value.y, 2 * value.z, 2 * value.w);
    __syncthreads();
  }
}

extern "C" __global__ void prints(int number, const double* value) {
  if (threadIdx.x < 2) printf("thread %u: %d, %5.2f, %s%%\n", threadIdx.x, number, *value, "text");
}

__device__ __noinline__ int collatz(int n) {
  return n == 1 ? 0 : 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1);
}
extern "C" __global__ void recursion(int* steps) {
  steps[threadIdx.x] = collatz(static_cast<int>(threadIdx.x) + 1);
}

// A lock that lanes of one warp take in turn.
extern "C" __global__ void locked(int* lock, int* value) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *const_cast<volatile int*>(value) = *const_cast<volatile int*>(value) + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// Each block reads what its neighbour wrote, with all blocks meeting between.
extern "C" __global__ void rounds(int* cells, int count) {
  const auto grid = cooperative_groups::this_grid();
  int sum = 0;
  for (int round = 0; round < count; ++round) {
    if (threadIdx.x == 0) cells[blockIdx.x] = round * 100 + blockIdx.x;
    grid.sync();
    sum += cells[(blockIdx.x + 1) % gridDim.x];
    grid.sync();
  }
  if (threadIdx.x == 0) cells[blockIdx.x] = sum;
}
