// Rows that all vectors of an operation of axis_vectors.cuh share.
#pragma once

#include "kernels/device/elements.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/launch/vector_layout.h"

namespace loci::cuda {

// A row that all vectors share, such as a scale: 16 bytes are read at once where those of the
// vectors are. Elements come in the order of lanes.
template <class T>
class SharedRow {
 public:
  using C = computed_t<T>;
  // `data` may be null: each element is `otherwise` then.
  __device__ SharedRow(const void* data, C otherwise)
      : data_(static_cast<const T*>(data)),
        otherwise_(Element<T>::narrow(otherwise)),
        are_vectors_(are_vectors(data_)) {}
  // `lane` is that of the element in its vector; -1 without vectors.
  __device__ C at(std::int64_t position, int lane) {
    if (lane < 0) return Element<T>::widen(data_ == nullptr ? otherwise_ : data_[position]);
    if (lane == 0) read_vector(position);
    return Element<T>::widen(vector_.lanes[lane]);
  }

 private:
  __device__ void read_vector(std::int64_t position) {
    if (data_ != nullptr && are_vectors_) {
      vector_ = load_vector(data_ + position);
      return;
    }
#pragma unroll
    for (int i = 0; i < Vector<T>::kLanes; ++i) {
      vector_.lanes[i] = data_ == nullptr ? otherwise_ : data_[position + i];
    }
  }

  const T* data_;
  T otherwise_;
  bool are_vectors_;
  Vector<T> vector_;
};

// An operation whose arguments have rows that all vectors share:
//   Shared                                       their elements
//   static void each_shared(Arguments&, visit)   visit(pointer) for each, null or not
template <class Op>
concept SharesRows = requires {
  typename Op::Shared;
};

template <class T>
__device__ void copy_by_block(const T* from, T* to, std::int64_t count) {
  constexpr std::int64_t kLanes = Vector<T>::kLanes;
  std::int64_t done = 0;
  if (are_vectors(from)) {
    done = count - count % kLanes;
    for (std::int64_t i = threadIdx.x * kLanes; i < done; i += kBlockThreads * kLanes) {
      store_vector(to + i, load_vector(from + i));
    }
  }
  for (std::int64_t i = done + threadIdx.x; i < count; i += kBlockThreads) to[i] = from[i];
}

// The arguments with rows that all vectors share in shared memory, if the layout says so.
template <class Op>
__device__ typename Op::Arguments staged(typename Op::Arguments arguments,
                                         const VectorLayout& layout) {
  if constexpr (SharesRows<Op>) {
    using T = typename Op::Shared;
    extern __shared__ __align__(16) unsigned char shared_rows[];
    if (!layout.is_staged) return arguments;
    constexpr std::int64_t kLanes = Vector<T>::kLanes;
    T* free = reinterpret_cast<T*>(shared_rows);
    Op::each_shared(arguments, [&](const void*& row) {
      if (row == nullptr) return;
      copy_by_block(static_cast<const T*>(row), free, layout.count);
      row = free;
      free += (layout.count + kLanes - 1) / kLanes * kLanes;
    });
    __syncthreads();
  }
  return arguments;
}

}  // namespace loci::cuda
