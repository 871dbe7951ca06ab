// Parts of 16 x 16 halves in shared memory, as tensor cores take them: a lane names a row.
#pragma once

#include "kernels/device/async_rows.cuh"
#include "kernels/device/mma.cuh"

namespace loci::cuda {

// Two parts of 8 columns each.
struct MmaColumnPair {
  MmaColumns of[2];
};

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }

// `lines` are 16 rows of the left operand, each `pitch` elements behind the last.
template <int pitch, class T>
__device__ MmaRows load_mma_rows(const T* lines) {
  const T* const row = lines + lane_of_warp() % 16 * pitch + lane_of_warp() / 16 * 8;
  MmaRows part;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part.words[0]), "=r"(part.words[1]), "=r"(part.words[2]), "=r"(part.words[3])
               : "r"(shared_address(row))
               : "memory");
  return part;
}

// `lines` are 16 columns of the right operand.
template <int pitch, class T>
__device__ MmaColumnPair load_mma_columns(const T* lines) {
  const int line = lane_of_warp() / 16 * 8 + lane_of_warp() % 8;
  const T* const column = lines + line * pitch + lane_of_warp() / 8 % 2 * 8;
  MmaColumnPair pair;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pair.of[0].words[0]), "=r"(pair.of[0].words[1]), "=r"(pair.of[1].words[0]),
                 "=r"(pair.of[1].words[1])
               : "r"(shared_address(column))
               : "memory");
  return pair;
}

// `lines` are 16 rows of the right operand, of which 16 columns are taken.
template <int pitch, class T>
__device__ MmaColumnPair load_mma_columns_of_rows(const T* lines) {
  const T* const row = lines + lane_of_warp() % 16 * pitch + lane_of_warp() / 16 * 8;
  MmaColumnPair pair;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pair.of[0].words[0]), "=r"(pair.of[0].words[1]), "=r"(pair.of[1].words[0]),
                 "=r"(pair.of[1].words[1])
               : "r"(shared_address(row))
               : "memory");
  return pair;
}

}  // namespace loci::cuda
