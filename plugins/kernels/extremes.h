// The largest or smallest of elements that lie side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "plugins/kernels/fold.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {

// Returns true if a or b is NaN.
template <class C>
LOCI_INLINE inline bool is_unordered(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    return __builtin_isunordered(a, b);
  } else {
    return false;
  }
}

// NaN if there is one: found apart from the rest, so that a lane waits for one operation and not
// for three. A fold as in fold.h, with `static bool is_beyond(State x, State y)`, false for NaN.
template <class Fold, class T>
LOCI_INLINE inline typename Fold::State extreme_of(const T* x, std::int64_t count) {
  using State = typename Fold::State;
  using Flag = std::conditional_t<sizeof(State) == sizeof(double), std::int64_t, std::int32_t>;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  State lanes[kLanes];
  Flag is_nan[kLanes] = {};
  for (State& lane : lanes) lane = Fold::neutral();
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const auto a = load_state<Fold>(x[i + lane]);
      const auto b = load_state<Fold>(x[i + kLanes + lane]);
      const auto beyond = Fold::is_beyond(a, b) ? a : b;
      lanes[lane] = Fold::is_beyond(beyond, lanes[lane]) ? beyond : lanes[lane];
      is_nan[lane] |= is_unordered(a, b) ? Flag{1} : Flag{0};
    }
  }
  State result = Fold::neutral();
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    result = Fold::apply(result, lanes[lane]);
    if (is_nan[lane] != 0) return std::numeric_limits<State>::quiet_NaN();
  }
  for (; i < count; ++i) result = Fold::apply(result, load_state<Fold>(x[i]));
  return result;
}

// NaN wins over everything.
template <class T>
struct Max {
  using State = sdk::compute_t<T>;
  LOCI_INLINE static State neutral() {
    if constexpr (sdk::is_float<T>) {
      return -std::numeric_limits<State>::infinity();
    } else {
      return std::numeric_limits<State>::min();
    }
  }
  LOCI_INLINE static bool is_beyond(State x, State y) { return x > y; }
  LOCI_INLINE static State apply(State x, State y) { return ((x > y) | (x != x)) ? x : y; }
  template <class Width>
  LOCI_INLINE State run(Width /*vector*/, const State* x, std::int64_t count) const {
    return extreme_of<Max>(x, count);
  }
  T finish(State state) const { return static_cast<T>(state); }
};

template <class T>
struct Min {
  using State = sdk::compute_t<T>;
  LOCI_INLINE static State neutral() {
    if constexpr (sdk::is_float<T>) {
      return std::numeric_limits<State>::infinity();
    } else {
      return std::numeric_limits<State>::max();
    }
  }
  LOCI_INLINE static bool is_beyond(State x, State y) { return x < y; }
  LOCI_INLINE static State apply(State x, State y) { return ((x < y) | (x != x)) ? x : y; }
  template <class Width>
  LOCI_INLINE State run(Width /*vector*/, const State* x, std::int64_t count) const {
    return extreme_of<Min>(x, count);
  }
  T finish(State state) const { return static_cast<T>(state); }
};

}  // namespace loci::kernels
