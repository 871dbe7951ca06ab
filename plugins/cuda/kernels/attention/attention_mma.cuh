// The products of attention by tensor cores: those of a warp, which has 16 queries and `keys` keys.
#pragma once

#include "kernels/attention/attention_arguments.h"
#include "kernels/device/mma_loads.cuh"

namespace loci::cuda {

// Two floats side by side as halves, and what these have lost of them.
template <class T>
struct HalvedPair;

template <>
struct HalvedPair<__half> {
  // Halves have 5 bits of exponent: a weight is so many times as large as it would be, so that its
  // parts are no smaller than the smallest one.
  static constexpr float kLog2Weight = 14;
  // Two parts are the 22 bits of a weight.
  static constexpr int kFewestKeysOfTwoParts = 0;
  static __device__ std::uint32_t take(float& x, float& y) {
    const __half2 pair = __floats2half2_rn(x, y);
    x -= __low2float(pair);
    y -= __high2float(pair);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
};

template <>
struct HalvedPair<__nv_bfloat16> {
  static constexpr float kLog2Weight = 0;
  // Two parts lose 2^-17 of a weight, 128 roundoffs of float32. A sum of so many weights is allowed
  // two roundoffs for each key.
  static constexpr int kFewestKeysOfTwoParts = 64;
  static __device__ std::uint32_t take(float& x, float& y) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    x -= __low2float(pair);
    y -= __high2float(pair);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
};

template <class T, int width, int keys>
class MmaAttention {
 public:
  using Operand = T;
  static constexpr int kWidth = width;
  static constexpr int kKeys = keys;
  static constexpr int kPitch = attention_pitch(sizeof(T), width);
  // A lane's rows, and how many lanes have the same ones.
  static constexpr int kRows = 2;
  static constexpr int kRowLanes = 4;
  // A lane has so many of each: scores, and then weights, and results. Neighbours are side by side.
  static constexpr int kScores = keys / kRowLanes;
  static constexpr int kResults = width / kRowLanes;
  static constexpr int kNeighbours = 2;
  static constexpr float kLog2Weight = HalvedPair<T>::kLog2Weight;

  static __device__ int row(int i) { return MmaSums::row(2 * i); }
  static __device__ int key(int j) { return j / 2 * 8 + MmaSums::column(j); }
  static __device__ int column(int j) { return key(j); }
  __device__ float& score(int i, int j) { return scores_[j / 2].of[2 * i + j % 2]; }
  __device__ float& result(int i, int j) { return results_[j / 2].of[2 * i + j % 2]; }

  // Pointers are to rows in shared memory.
  __device__ void take_queries(const T* rows) {
#pragma unroll
    for (int k = 0; k < width / 16; ++k) queries_[k] = load_mma_rows<kPitch>(rows + k * 16);
  }

  __device__ void multiply_keys(const T* rows) {
#pragma unroll
    for (int i = 0; i < keys / 8; ++i) scores_[i] = {};
#pragma unroll
    for (int k = 0; k < width / 16; ++k) {
#pragma unroll
      for (int n = 0; n < keys / 16; ++n) {
        const auto columns = load_mma_columns<kPitch>(rows + n * 16 * kPitch + k * 16);
        add_products(scores_[2 * n], queries_[k], columns.of[0], T{});
        add_products(scores_[2 * n + 1], queries_[k], columns.of[1], T{});
      }
    }
  }

  // Products of the weights' parts are exact, so that their sums are as those of float32.
  __device__ void add_values(const T* rows, std::int64_t all_keys) {
    if (all_keys < HalvedPair<T>::kFewestKeysOfTwoParts) return add_values_of<3>(rows);
    add_values_of<2>(rows);
  }

 private:
  template <int parts>
  __device__ void add_values_of(const T* rows) {
#pragma unroll
    for (int k = 0; k < keys / 16; ++k) {
      MmaRows weights[parts];
#pragma unroll
      for (MmaRows& part : weights) part = take_part(scores_ + 2 * k);
#pragma unroll
      for (int n = 0; n < width / 16; ++n) {
        const auto columns = load_mma_columns_of_rows<kPitch>(rows + k * 16 * kPitch + n * 16);
#pragma unroll
        for (const MmaRows& part : weights) {
          add_products(results_[2 * n], part, columns.of[0], T{});
          add_products(results_[2 * n + 1], part, columns.of[1], T{});
        }
      }
    }
  }

  // Takes a part of the weights of 16 keys, and leaves there what that has lost of them.
  static __device__ MmaRows take_part(MmaSums* weights) {
    MmaRows part;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float* const pair = weights[i / 2].of + i % 2 * 2;
      part.words[i] = HalvedPair<T>::take(pair[0], pair[1]);
    }
    return part;
  }

  MmaRows queries_[width / 16];
  MmaSums scores_[keys / 8];
  MmaSums results_[width / 8];
};

}  // namespace loci::cuda
