// Trigonometric and hyperbolic functions, powers and logarithms of one element, for
// elementwise_functions.h, whose rules they keep.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_powers.h"
#include "plugins/kernels/simd_trigonometry.h"

namespace loci::kernels {

// Functions of which vectors of float32 know the results near 0 alone: near(x) where is_far(x) is
// false. circular_lanes.h has the loop.
struct Sin {
  static constexpr std::int64_t kPicoseconds = 1000;
  static constexpr std::int64_t kDoublePicoseconds = 20000;
  LOCI_INLINE static float near(float x) { return simd::near_sin(x); }
  LOCI_INLINE static float value(float x) {
    return simd::is_circular_far(x) ? simd::far_sin(x) : near(x);
  }
  LOCI_INLINE static double value(double x) { return std::sin(x); }
};

struct Cos {
  static constexpr std::int64_t kPicoseconds = 1000;
  static constexpr std::int64_t kDoublePicoseconds = 20000;
  LOCI_INLINE static float near(float x) { return simd::near_cos(x); }
  LOCI_INLINE static float value(float x) {
    return simd::is_circular_far(x) ? simd::far_cos(x) : near(x);
  }
  LOCI_INLINE static double value(double x) { return std::cos(x); }
};

struct Tan {
  static constexpr std::int64_t kPicoseconds = 1200;
  static constexpr std::int64_t kDoublePicoseconds = 20000;
  LOCI_INLINE static float near(float x) { return simd::near_tan(x); }
  LOCI_INLINE static float value(float x) {
    return simd::is_circular_far(x) ? simd::far_tan(x) : near(x);
  }
  LOCI_INLINE static double value(double x) { return std::tan(x); }
};

struct Asin {
  static constexpr std::int64_t kPicoseconds = 800;
  static constexpr std::int64_t kDoublePicoseconds = 15000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::asin(x);
  }
};

struct Acos {
  static constexpr std::int64_t kPicoseconds = 1000;
  static constexpr std::int64_t kDoublePicoseconds = 15000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::acos(x);
  }
};

struct Atan {
  static constexpr std::int64_t kPicoseconds = 1300;
  static constexpr std::int64_t kDoublePicoseconds = 15000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::atan(x);
  }
};

struct Sinh {
  static constexpr std::int64_t kPicoseconds = 1000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::sinh(x);
  }
};

struct Cosh {
  static constexpr std::int64_t kPicoseconds = 800;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::cosh(x);
  }
};

struct Asinh {
  static constexpr std::int64_t kPicoseconds = 2500;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::asinh(x);
  }
};

struct Acosh {
  static constexpr std::int64_t kPicoseconds = 2500;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::acosh(x);
  }
};

struct Atanh {
  static constexpr std::int64_t kPicoseconds = 2500;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::atanh(x);
  }
};

struct Exp2 {
  static constexpr std::int64_t kPicoseconds = 700;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::exp2(x);
  }
};

struct Expm1 {
  static constexpr std::int64_t kPicoseconds = 700;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::expm1(x);
  }
};

struct Log1p {
  static constexpr std::int64_t kPicoseconds = 2000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::log1p(x);
  }
};

struct Log2 {
  static constexpr std::int64_t kPicoseconds = 1000;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::log2(x);
  }
};

struct Silu {
  static constexpr std::int64_t kPicoseconds = 1200;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::silu(x);
  }
};

struct Softplus {
  static constexpr std::int64_t kPicoseconds = 2300;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::softplus(x);
  }
};

}  // namespace loci::kernels
