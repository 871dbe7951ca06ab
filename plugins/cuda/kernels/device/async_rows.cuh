// Rows that a block brings from global to shared memory while it does something else.
#pragma once

#include <cstdint>

#include "kernels/device/elements.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// 16 bytes; zeros if they are not there, when nothing is read and any address will do.
__device__ inline void begin_copy(void* to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(is_there ? 16 : 0)
               : "memory");
}

// Copies begun since the last call are a group; a wait leaves out the last `but` of a thread.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int but>
__device__ void wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(but) : "memory");
}

// `count` rows of `width` elements each, `step` apart.
template <class T>
struct GlobalRows {
  const T* first;
  std::int64_t step;
  int count;
  int width;
};

// For operands that begin, or continue, at no multiple of 16 bytes: these are there when it
// returns.
template <int rows, int width, int pitch, class T>
__device__ void copy_elements(T* shared, const GlobalRows<T>& from) {
#pragma unroll 1
  for (int item = static_cast<int>(threadIdx.x); item < rows * width; item += kBlockThreads) {
    const int row = item / width;
    const int column = item % width;
    const bool is_there = row < from.count && column < from.width;
    shared[row * pitch + column] = is_there ? from.first[row * from.step + column] : T{};
  }
}

// Has the block begin with `rows` rows of `width` elements: what `from` does not have is 0.
template <int rows, int width, int pitch, class T>
__device__ void begin_rows(T* shared, const GlobalRows<T>& from) {
  constexpr int kLanes = 16 / sizeof(T);
  constexpr int kRowThreads = width / kLanes;
  constexpr int kRowsAtOnce = kBlockThreads / kRowThreads;
  const std::uint64_t steps = from.step * sizeof(T) | from.width * sizeof(T);
  if ((reinterpret_cast<std::uintptr_t>(from.first) | steps) % 16 != 0) {
    return copy_elements<rows, width, pitch>(shared, from);
  }
  const int column = static_cast<int>(threadIdx.x) % kRowThreads * kLanes;
  const int first = static_cast<int>(threadIdx.x) / kRowThreads;
  const T* element = from.first + first * from.step + column;
#pragma unroll
  for (int i = 0; i < rows; i += kRowsAtOnce) {
    const int row = first + i;
    if (rows % kRowsAtOnce != 0 && row >= rows) break;
    begin_copy(shared + row * pitch + column, element, row < from.count && column < from.width);
    element += kRowsAtOnce * from.step;
  }
}

}  // namespace loci::cuda
