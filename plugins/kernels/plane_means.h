// Means of whole planes of a few elements, as networks end with.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/pool_windows.h"
#include "plugins/kernels/unrolled.h"

namespace loci::kernels {

// Sums of four planes are finished at once: to add up the lanes of one takes as long as to read it.
// They are what sum_terms() gives, to the bit.
struct PlaneMeans {
  static constexpr std::int64_t kTogether = 4;
  static constexpr std::int64_t kLanes = 32;  // those of sum_terms()

  // One window, of all that there is.
  static bool suits(const PoolGeometry& geometry) {
    return geometry.windows() == 1 && geometry.is_small() &&
           geometry.height_axis.inside(0).size() * geometry.width_axis.inside(0).size() ==
               geometry.image_size;
  }

  void launch(const sdk::Launch& launch) const {
    const float* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    const std::int64_t size = geometry.image_size;
    host->parallel_for(
        0, geometry.planes, grain_for(50 * size + 5000), [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto vector) LOCI_INLINE {
            run<decltype(vector)::kBytes>(x + begin * size, end - begin, out + begin);
          });
        });
  }

  const sdk::Host* host;
  PoolGeometry geometry;

 private:
  template <int bytes>
  LOCI_INLINE void run(const float* x, std::int64_t planes, float* out) const {
    const auto divisor = static_cast<float>(geometry.divisor(0, 0));
    FourFloats sums;
    std::int64_t plane = 0;
    for (; plane + kTogether <= planes; plane += kTogether) {
      add_four<bytes>(x + plane * geometry.image_size, geometry.image_size, sums);
      sums /= divisor;
      store(sums, out + plane);
    }
    // The last planes are added one by one, so that nothing behind them is read.
    for (; plane < planes; ++plane) {
      add_four<bytes>(x + plane * geometry.image_size, 0, sums);
      out[plane] = sums[0] / divisor;
    }
  }

  // The sums of planes that are `step` apart.
  template <int bytes>
  LOCI_INLINE void add_four(const float* x, std::int64_t step, FourFloats& sums) const {
    FourFloats fours[kTogether];
    float rests[kTogether];
    unrolled<kTogether>([&](auto i)
                            LOCI_INLINE { rests[i] = add_lanes<bytes>(x + i * step, fours[i]); });
    transpose_fours<16>(fours);
    FourFloats rest;
    load(rest, rests);
    sums = FourFloats{} + ((fours[0] + fours[2]) + (fours[1] + fours[3]) + rest);
  }

  // Adds a plane: the lanes by halves until there are four; returns the sum of what is left.
  template <int bytes>
  LOCI_INLINE float add_lanes(const float* x, FourFloats& four) const {
    using V = typename FloatVector<bytes>::type;
    constexpr int kVectors = kLanes / FloatVector<bytes>::kLanes;
    constexpr std::int64_t kEach = FloatVector<bytes>::kLanes;
    V lanes[kVectors] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= geometry.image_size; i += kLanes) {
      unrolled<kVectors>([&](auto j) LOCI_INLINE { add(x + i + j * kEach, lanes[j]); });
    }
    if (i + kLanes / 2 <= geometry.image_size) {
      unrolled<kVectors / 2>([&](auto j)
                                 LOCI_INLINE { add(x + i + j * kEach, lanes[kVectors / 2 + j]); });
      i += kLanes / 2;
    }
    float rest = 0;
    for (; i < geometry.image_size; ++i) rest += x[i];
    halve<bytes, kVectors>(lanes, four);
    return rest;
  }

  template <class V>
  LOCI_INLINE static void add(const float* from, V& sum) {
    V term;
    load(term, from);
    sum += term;
  }

  template <int bytes, int count, class V>
  LOCI_INLINE static void halve(V (&lanes)[count], FourFloats& four) {
    if constexpr (count > 1) {
      V half[count / 2];
      for (int i = 0; i < count / 2; ++i) half[i] = lanes[i] + lanes[count / 2 + i];
      halve<bytes, count / 2>(half, four);
    } else if constexpr (bytes > 16) {
      typename FloatVector<bytes / 2>::type half[1];
      typename FloatVector<bytes / 2>::type high;
      detail::part<0>(half[0], lanes[0], detail::Lanes<bytes / 2>());
      detail::part<bytes / 8>(high, lanes[0], detail::Lanes<bytes / 2>());
      half[0] += high;
      halve<bytes / 2, 1>(half, four);
    } else {
      four = lanes[0];
    }
  }
};

}  // namespace loci::kernels
