// Vectors of floats in loops that run_widest() compiles: reading and writing them as rows of four
// elements that lie apart, and transposing those.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

template <int bytes>
struct FloatVector {
  typedef float type __attribute__((vector_size(bytes)));  // NOLINT: an alias drops the attribute
  static constexpr std::int64_t kLanes = bytes / static_cast<std::int64_t>(sizeof(float));
};

using FourFloats = FloatVector<16>::type;

// Vectors go by reference: by value their way depends on the instruction set.
template <class V>
LOCI_INLINE inline void load(V& vector, const float* from) {
  std::memcpy(&vector, from, sizeof vector);
}
template <class V>
LOCI_INLINE inline void store(const V& vector, float* to) {
  std::memcpy(to, &vector, sizeof vector);
}

namespace detail {

template <int bytes>
using Lanes = std::make_integer_sequence<int, bytes / static_cast<int>(sizeof(float))>;

template <class V, class Half, int... i>
LOCI_INLINE inline void join(V& whole, const Half& low, const Half& high,
                             std::integer_sequence<int, i...> /*lanes*/) {
  whole = __builtin_shufflevector(low, high, i...);
}

template <int first, class Half, class V, int... i>
LOCI_INLINE inline void part(Half& half, const V& whole,
                             std::integer_sequence<int, i...> /*lanes*/) {
  half = __builtin_shufflevector(whole, whole, (first + i)...);
}

// Takes for each four lanes the elements `pick[lane % 4]`, of b from 4 on.
template <int p0, int p1, int p2, int p3, class V, int... i>
LOCI_INLINE inline void mix_fours(V& out, const V& a, const V& b,
                                  std::integer_sequence<int, i...> /*lanes*/) {
  constexpr int kPick[4] = {p0, p1, p2, p3};
  constexpr int kCount = sizeof...(i);
  out = __builtin_shufflevector(
      a, b, (i / 4 * 4 + kPick[i % 4] % 4 + (kPick[i % 4] >= 4 ? kCount : 0))...);
}

}  // namespace detail

// Calls row(i, four) for the i-th four lanes of the vector, `four` being set there.
template <int bytes, int first = 0, class V, class Row>
LOCI_INLINE inline void gather_fours(V& vector, const Row& row) {
  if constexpr (bytes == 16) {
    row(first, vector);
  } else {
    typename FloatVector<bytes / 2>::type low;
    typename FloatVector<bytes / 2>::type high;
    gather_fours<bytes / 2, first>(low, row);
    gather_fours<bytes / 2, first + bytes / 32>(high, row);
    detail::join(vector, low, high, detail::Lanes<bytes>());
  }
}

// Calls row(i, four) with the i-th four lanes of the vector.
template <int bytes, int first = 0, class V, class Row>
LOCI_INLINE inline void for_fours(const V& vector, const Row& row) {
  if constexpr (bytes == 16) {
    row(first, vector);
  } else {
    typename FloatVector<bytes / 2>::type low;
    typename FloatVector<bytes / 2>::type high;
    detail::part<0>(low, vector, detail::Lanes<bytes / 2>());
    detail::part<bytes / 8>(high, vector, detail::Lanes<bytes / 2>());
    for_fours<bytes / 2, first>(low, row);
    for_fours<bytes / 2, first + bytes / 32>(high, row);
  }
}

// Four vectors as squares of four by four lanes, side by side, each of which is transposed.
template <int bytes, class V>
LOCI_INLINE inline void transpose_fours(V (&v)[4]) {
  constexpr detail::Lanes<bytes> kLanes;
  V low[2];
  V high[2];
  for (int i = 0; i < 2; ++i) {
    detail::mix_fours<0, 4, 1, 5>(low[i], v[2 * i], v[2 * i + 1], kLanes);
    detail::mix_fours<2, 6, 3, 7>(high[i], v[2 * i], v[2 * i + 1], kLanes);
  }
  detail::mix_fours<0, 1, 4, 5>(v[0], low[0], low[1], kLanes);
  detail::mix_fours<2, 3, 6, 7>(v[1], low[0], low[1], kLanes);
  detail::mix_fours<0, 1, 4, 5>(v[2], high[0], high[1], kLanes);
  detail::mix_fours<2, 3, 6, 7>(v[3], high[0], high[1], kLanes);
}

}  // namespace loci::kernels
