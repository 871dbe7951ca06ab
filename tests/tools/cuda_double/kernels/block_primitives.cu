// Kernels on CUB's primitives of a block, as they are in the toolkit.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

constexpr int kThreads = 128;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;

extern "C" __global__ void softmax(const float* x, float* y, int width) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float shared;
  const float* row = x + static_cast<size_t>(blockIdx.x) * width;
  float most = -3.4e38f;
  for (int i = threadIdx.x; i < width; i += kThreads) most = fmaxf(most, row[i]);
  most = Reduce(storage).Reduce(most, [](float a, float b) { return fmaxf(a, b); });
  if (threadIdx.x == 0) shared = most;
  __syncthreads();
  most = shared;
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += kThreads) sum += expf(row[i] - most);
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) shared = sum;
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += kThreads) {
    y[static_cast<size_t>(blockIdx.x) * width + i] = expf(row[i] - most) / shared;
  }
}

extern "C" __global__ void radix_sort(const unsigned* keys, unsigned* sorted) {
  using Sort = cub::BlockRadixSort<unsigned, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  unsigned own[kItems];
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) own[i] = keys[first + i];
  Sort(storage).Sort(own);
  for (int i = 0; i < kItems; ++i) sorted[first + i] = own[i];
}

extern "C" __global__ void merge_sort(const float* keys, float* sorted) {
  using Sort = cub::BlockMergeSort<float, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  float own[kItems];
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) own[i] = keys[first + i];
  Sort(storage).Sort(own, [](float a, float b) { return a < b; });
  for (int i = 0; i < kItems; ++i) sorted[first + i] = own[i];
}

extern "C" __global__ void scan(const int* x, int* before) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  int own[kItems];
  const int first = blockIdx.x * kTile + threadIdx.x * kItems;
  for (int i = 0; i < kItems; ++i) own[i] = x[first + i];
  Scan(storage).ExclusiveSum(own, own);
  for (int i = 0; i < kItems; ++i) before[first + i] = own[i];
}

// The distinct keys of a tile in order, and how many there are.
extern "C" __global__ void unique(const unsigned* keys, int valid, unsigned* distinct, int* count) {
  using Sort = cub::BlockRadixSort<unsigned, kThreads, kItems>;
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
  } storage;
  __shared__ unsigned sorted[kTile];
  unsigned own[kItems];
  for (int i = 0; i < kItems; ++i) {
    const int at = threadIdx.x * kItems + i;
    own[i] = at < valid ? keys[at] : 0xffffffffu;
  }
  Sort(storage.sort).Sort(own);
  for (int i = 0; i < kItems; ++i) sorted[threadIdx.x * kItems + i] = own[i];
  __syncthreads();
  int is_first[kItems];
  int rank[kItems];
  for (int i = 0; i < kItems; ++i) {
    const int at = threadIdx.x * kItems + i;
    is_first[i] = at < valid && (at == 0 || sorted[at - 1] != own[i]);
  }
  int total = 0;
  Scan(storage.scan).ExclusiveSum(is_first, rank, total);
  for (int i = 0; i < kItems; ++i) {
    if (is_first[i]) distinct[rank[i]] = own[i];
  }
  if (threadIdx.x == 0) *count = total;
}
