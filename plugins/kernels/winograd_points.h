// Winograd's minimal filtering F(m, 3): m neighbouring outputs of a filter of three taps from m + 2
// products. out = A^T [(G g) * (B^T d)], d being m + 2 inputs and g the taps; in two dimensions all
// three transforms are applied to rows and columns.
//
// G, B and A follow from the points at which polynomials are evaluated, infinity among them
// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015). The points decide how
// much roundings grow, see winograd_error.h.
#pragma once

#include <cstdint>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// F(2, 3) at 0, 1, -1, infinity. Its coefficients are 0 and 1; those of G are 0, 1 and 1/2.
struct WinogradTwo {
  static constexpr std::int64_t kOutputs = 2;
  static constexpr std::int64_t kInputs = 4;

  template <class V>
  LOCI_INLINE static void transform_input(const V* d, std::int64_t stride, V (&v)[kInputs]) {
    v[0] = d[0] - d[2 * stride];
    v[1] = d[stride] + d[2 * stride];
    v[2] = d[2 * stride] - d[stride];
    v[3] = d[3 * stride] - d[stride];
  }
  template <class V>
  LOCI_INLINE static void transform_output(const V* m, std::int64_t stride, V (&y)[kOutputs]) {
    y[0] = m[0] + (m[stride] + m[2 * stride]);
    y[1] = (m[stride] - m[2 * stride]) + m[3 * stride];
  }
  template <class V>
  LOCI_INLINE static void transform_filter(const V* g, std::int64_t stride, V (&u)[kInputs]) {
    const V even = (g[0] + g[2 * stride]) * 0.5;
    const V odd = g[stride] * 0.5;
    u[0] = g[0];
    u[1] = even + odd;
    u[2] = even - odd;
    u[3] = g[2 * stride];
  }
};

// F(4, 3) at 0, a, -a, b, -b, infinity for a = 5/8, b = 3/2. All coefficients of B and A are exact
// in float32. Of the pairs in sixteenths this one has the least error for sums over channels of
// random numbers: half of that of the usual 1 and 2.
struct WinogradFour {
  static constexpr std::int64_t kOutputs = 4;
  static constexpr std::int64_t kInputs = 6;
  static constexpr double kA = 0.625;
  static constexpr double kB = 1.5;

  template <class V>
  LOCI_INLINE static void transform_input(const V* d, std::int64_t stride, V (&v)[kInputs]) {
    constexpr float kA1 = kA;
    constexpr float kB1 = kB;
    constexpr float kA2 = kA * kA;
    constexpr float kB2 = kB * kB;
    constexpr float kProduct = kA * kA * kB * kB;
    constexpr float kSum = kA * kA + kB * kB;
    const V& d1 = d[stride];
    const V& d2 = d[2 * stride];
    const V& d3 = d[3 * stride];
    const V& d4 = d[4 * stride];
    const V even_a = d4 - kB2 * d2;
    const V odd_a = d3 - kB2 * d1;
    const V even_b = d4 - kA2 * d2;
    const V odd_b = d3 - kA2 * d1;
    v[0] = kProduct * d[0] + (d4 - kSum * d2);
    v[1] = even_a + kA1 * odd_a;
    v[2] = even_a - kA1 * odd_a;
    v[3] = even_b + kB1 * odd_b;
    v[4] = even_b - kB1 * odd_b;
    v[5] = kProduct * d1 + (d[5 * stride] - kSum * d3);
  }
  template <class V>
  LOCI_INLINE static void transform_output(const V* m, std::int64_t stride, V (&y)[kOutputs]) {
    constexpr float kA1 = kA;
    constexpr float kB1 = kB;
    constexpr float kA2 = kA * kA;
    constexpr float kB2 = kB * kB;
    constexpr float kA3 = kA * kA * kA;
    constexpr float kB3 = kB * kB * kB;
    const V even_a = m[stride] + m[2 * stride];
    const V odd_a = m[stride] - m[2 * stride];
    const V even_b = m[3 * stride] + m[4 * stride];
    const V odd_b = m[3 * stride] - m[4 * stride];
    y[0] = m[0] + (even_a + even_b);
    y[1] = kA1 * odd_a + kB1 * odd_b;
    y[2] = kA2 * even_a + kB2 * even_b;
    y[3] = kA3 * odd_a + (kB3 * odd_b + m[5 * stride]);
  }
  // Each row is [1, p, p * p] over the product of p's distances to the other points.
  template <class V>
  LOCI_INLINE static void transform_filter(const V* g, std::int64_t stride, V (&u)[kInputs]) {
    constexpr double kA2 = kA * kA;
    constexpr double kB2 = kB * kB;
    constexpr double kAtA = 1 / (2 * kA2 * (kA2 - kB2));
    constexpr double kAtB = 1 / (2 * kB2 * (kB2 - kA2));
    const V even_a = (g[0] + g[2 * stride] * kA2) * kAtA;
    const V odd_a = g[stride] * (kA * kAtA);
    const V even_b = (g[0] + g[2 * stride] * kB2) * kAtB;
    const V odd_b = g[stride] * (kB * kAtB);
    u[0] = g[0] * (1 / (kA2 * kB2));
    u[1] = even_a + odd_a;
    u[2] = even_a - odd_a;
    u[3] = even_b + odd_b;
    u[4] = even_b - odd_b;
    u[5] = g[2 * stride];
  }
};

}  // namespace loci::kernels
