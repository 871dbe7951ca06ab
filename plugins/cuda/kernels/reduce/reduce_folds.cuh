// Elements are folded with these, as reduce.cuh says. Semantics are those of the portable kernels.
#pragma once

#include <type_traits>

#include "kernels/device/limits.cuh"
#include "kernels/device/sum_type.cuh"
#include "kernels/reduce/reduce.cuh"

namespace loci::cuda {

// Products are double, or wrap: one of halves may leave the range of float32 in between.
template <class T>
using product_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

// Returns true if they are one value, also if both are NaN.
template <class C>
__device__ bool is_same(C x, C y) {
  return x == y || (x != x && y != y);
}

// Divided for a mean, and rounded once.
template <class T>
struct SumFold {
  using Input = T;
  using Result = T;
  using State = sum_t<T>;
  using Extra = double;  // the divisor

  static __device__ State neutral() { return 0; }
  static __device__ State apply(State x, State y) { return x + y; }
  static __device__ State term(T value, const Place& /*at*/) {
    return static_cast<State>(Element<T>::widen(value));
  }
  __device__ void write(std::int64_t output, State sum) const {
    if constexpr (std::is_integral_v<T>) {
      out[output] = static_cast<T>(sum);
    } else {
      const State quotient = divisor == 1 ? sum : sum / static_cast<State>(divisor);
      out[output] = Element<T>::narrow(static_cast<computed_t<T>>(quotient));
    }
  }

  const T* x;
  T* out;
  Extra divisor;
};

template <class T>
struct ProductFold {
  using Input = T;
  using Result = T;
  using State = product_t<T>;
  using Extra = double;  // none

  static __device__ State neutral() { return 1; }
  static __device__ State apply(State x, State y) { return x * y; }
  static __device__ State term(T value, const Place& /*at*/) {
    return static_cast<State>(Element<T>::widen(value));
  }
  __device__ void write(std::int64_t output, State product) const {
    out[output] = Element<T>::narrow(static_cast<computed_t<T>>(product));
  }

  const T* x;
  T* out;
  Extra none;
};

// NaN wins over everything.
template <class T>
struct MaxFold {
  using Input = T;
  using Result = T;
  using State = computed_t<T>;
  using Extra = double;  // none

  static __device__ State neutral() { return kLowest<State>; }
  static __device__ State apply(State x, State y) { return x > y || x != x ? x : y; }
  static __device__ State term(T value, const Place& /*at*/) { return Element<T>::widen(value); }
  __device__ void write(std::int64_t output, State state) const {
    out[output] = Element<T>::narrow(state);
  }

  const T* x;
  T* out;
  Extra none;
};

template <class T>
struct MinFold {
  using Input = T;
  using Result = T;
  using State = computed_t<T>;
  using Extra = double;  // none

  static __device__ State neutral() { return kHighest<State>; }
  static __device__ State apply(State x, State y) { return x < y || x != x ? x : y; }
  static __device__ State term(T value, const Place& /*at*/) { return Element<T>::widen(value); }
  __device__ void write(std::int64_t output, State state) const {
    out[output] = Element<T>::narrow(state);
  }

  const T* x;
  T* out;
  Extra none;
};

// How many elements are what the output is.
template <class T>
struct SameFold {
  using Input = T;
  using Result = std::int64_t;
  using State = std::int64_t;
  using Extra = const T*;  // the outputs

  static __device__ State neutral() { return 0; }
  static __device__ State apply(State x, State y) { return x + y; }
  __device__ State term(T value, const Place& at) const {
    return is_same(Element<T>::widen(value), Element<T>::widen(outputs[at.output])) ? 1 : 0;
  }
  __device__ void write(std::int64_t output, State count) const { out[output] = count; }

  const T* x;
  std::int64_t* out;
  Extra outputs;
};

// The first of the largest; NaN counts as the largest.
template <class T>
struct ArgMaxFold {
  // A whole word, so that what lies behind it is not a part of one.
  using Value =
      std::conditional_t<sizeof(T) < 4 && std::is_integral_v<T>, std::int32_t, computed_t<T>>;
  struct State {
    Value value;
    std::int64_t position;
  };
  using Input = T;
  using Result = std::int64_t;
  using Extra = double;  // none

  // Behind all others of the least value.
  static __device__ State neutral() { return {kLowest<Value>, kHighest<std::int64_t>}; }
  static __device__ State apply(State x, State y) {
    if (is_same(x.value, y.value)) return x.position < y.position ? x : y;
    return x.value > y.value || x.value != x.value ? x : y;
  }
  static __device__ State term(T value, const Place& at) {
    return {Element<T>::widen(value), at.position};
  }
  __device__ void write(std::int64_t output, State state) const { out[output] = state.position; }

  const T* x;
  std::int64_t* out;
  Extra none;
};

}  // namespace loci::cuda
