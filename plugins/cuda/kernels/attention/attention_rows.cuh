// The softmax of a warp's scores, tile of keys by tile of keys: what was summed so far is scaled
// when a larger score turns up (Dao, Fu, Ermon, Rudra, Re, FlashAttention, 2022, algorithm 1).
#pragma once

#include <cmath>

#include "kernels/device/device_functions.cuh"

namespace loci::cuda {

// Returns what is subtracted from exponents. For a row that has seen no score but -infinity that is
// 0, or these would not be -infinity any more.
__device__ inline float shift_of(float largest) { return largest == -INFINITY ? 0 : largest; }

// Returns the factor of sums, given the sum of all weights. It is 0 only if no score is above
// -infinity, as one of the weights is 1 otherwise.
__device__ inline float share_of_all(float sum, bool zeroes_hidden) {
  return sum == 0 && zeroes_hidden ? 0 : 1 / sum;
}

template <int lanes>
__device__ float largest_of_lanes(float value) {
#pragma unroll
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFF, value, apart));
  }
  return value;
}

template <int lanes>
__device__ float sum_of_lanes(float value) {
#pragma unroll
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFF, value, apart);
  }
  return value;
}

// The largest scores and the sums of a lane's rows. The largest passes NaN over; the sum shows it.
template <int rows>
struct AttentionRows {
  __device__ AttentionRows() {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      largest[i] = -INFINITY;
      sum[i] = 0;
    }
  }

  // Makes weights of scores, 2^(log2_factor * score) but for a factor of the row.
  template <class Products>
  __device__ void take_scores(Products& products, float log2_factor) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      float most = products.score(i, 0);
#pragma unroll
      for (int j = 1; j < Products::kScores; ++j) most = fmaxf(most, products.score(i, j));
      most = fmaxf(largest_of_lanes<Products::kRowLanes>(most) * log2_factor, largest[i]);
      const float shift = shift_of(most);
      // Before the first score the results are 0.
      const float kept = largest[i] == -INFINITY ? 1 : power_of_two(largest[i] - shift);
      largest[i] = most;
      const float added = weigh(products, i, log2_factor, Products::kLog2Weight - shift);
      sum[i] = fmaf(sum[i], kept, added);
      if (__any_sync(0xFFFFFFFF, kept != 1)) scale_results(products, i, kept);
    }
  }

  template <class Products>
  static __device__ void scale_results(Products& products, int i, float kept) {
#pragma unroll
    for (int j = 0; j < Products::kResults; ++j) products.result(i, j) *= kept;
  }

  // Gives their sum.
  template <class Products>
  static __device__ float weigh(Products& products, int i, float factor, float shift) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < Products::kScores; ++j) {
      float& weight = products.score(i, j);
      weight = power_of_two(fmaf(weight, factor, shift));
      sum += weight;
    }
    return sum;
  }

  float largest[rows];  // in powers of two
  float sum[rows];      // of weights; of the lane's keys alone
};

}  // namespace loci::cuda
