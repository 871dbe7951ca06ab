// The products of attention of float32, without rounding of terms: those of a warp, which has 16
// queries and `keys` keys.
#pragma once

#include "kernels/attention/attention_arguments.h"
#include "kernels/device/elements.cuh"

namespace loci::cuda {

// The products of a warp, with the interface of MmaAttention.
template <int width, int keys>
class FmaAttention {
 public:
  using Operand = float;
  static constexpr int kWidth = width;
  static constexpr int kKeys = keys;
  static constexpr int kPitch = attention_pitch(sizeof(float), width);
  static constexpr int kRows = 4;
  static constexpr int kRowLanes = 8;
  static constexpr int kScores = keys / kRowLanes;
  static constexpr int kResults = width / kRowLanes;
  static constexpr int kNeighbours = 4;
  static constexpr float kLog2Weight = 0;

  // Rows, or parts of a row, that lanes read at once lie side by side.
  static __device__ int row(int i) { return i * kRows + lane() / kRowLanes; }
  static __device__ int key(int j) { return j * kRowLanes + lane() % kRowLanes; }
  static __device__ int column(int j) {
    return (j / 4 * kRowLanes + lane() % kRowLanes) * 4 + j % 4;
  }
  __device__ float& score(int i, int j) { return scores_[i][j]; }
  __device__ float& result(int i, int j) { return results_[i][j]; }

  // Pointers are to rows in shared memory.
  __device__ void take_queries(const float* rows) { queries_ = rows; }

  __device__ void multiply_keys(const float* rows) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kScores; ++j) scores_[i][j] = 0;
    }
#pragma unroll 2
    for (int k = 0; k < width; k += 4) {
      Vector<float> queries[kRows];
#pragma unroll
      for (int i = 0; i < kRows; ++i) queries[i] = load_vector(queries_ + row(i) * kPitch + k);
#pragma unroll
      for (int j = 0; j < kScores; ++j) {
        const Vector<float> of_key = load_vector(rows + key(j) * kPitch + k);
#pragma unroll
        for (int i = 0; i < kRows; ++i) add(scores_[i][j], queries[i], of_key);
      }
    }
  }

  __device__ void add_values(const float* rows, std::int64_t /*all_keys*/) {
#pragma unroll
    for (int j = 0; j < kScores; ++j) {
#pragma unroll 2
      for (int k = 0; k < kRowLanes; ++k) {
        float weights[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          weights[i] = __shfl_sync(0xFFFFFFFF, scores_[i][j], k, kRowLanes);
        }
        add_value(weights, rows + (j * kRowLanes + k) * kPitch);
      }
    }
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  static __device__ void add(float& sum, const Vector<float>& x, const Vector<float>& y) {
#pragma unroll
    for (int k = 0; k < 4; ++k) sum = fmaf(x.lanes[k], y.lanes[k], sum);
  }

  __device__ void add_value(const float (&weights)[kRows], const float* value) {
#pragma unroll
    for (int j = 0; j < kResults; j += 4) {
      const Vector<float> part = load_vector(value + column(j));
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          results_[i][j + k] = fmaf(weights[i], part.lanes[k], results_[i][j + k]);
        }
      }
    }
  }

  const float* queries_;
  float scores_[kRows][kScores];
  float results_[kRows][kResults] = {};
};

}  // namespace loci::cuda
