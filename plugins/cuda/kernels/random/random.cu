// uniform_DTYPE(state, out, drawn, range), gaussian_DTYPE(state, out, drawn, normal) and, but for
// float64, centred_gaussian_DTYPE(state, out, drawn, twice_variance): a thread's turn is a block of
// words, which makes 16 bytes of float32 and of float64, and 8 of halves.
// fold_in(state, index or null, out, drawn), and advance(state), are of one thread.
#include "kernels/device/convert.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/random/box_muller.cuh"
#include "kernels/random/draws.h"
#include "kernels/random/random_words.cuh"

namespace loci::cuda {
namespace {

template <class T>
inline constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;

template <class T>
using Values = Vector<T, kPerBlock<T>>;

template <class T>
struct Uniform {
  using C = computed_t<T>;

  __device__ Values<T> operator()(const PhiloxBlock& block) const {
    Values<T> values;
#pragma unroll
    for (int i = 0; i < kPerBlock<T>; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        values.lanes[i] = value_of(uniform_double(block.words[2 * i], block.words[2 * i + 1]));
      } else {
        values.lanes[i] = value_of(uniform_float(block.words[i]));
      }
    }
    return values;
  }

  __device__ T value_of(C unit) const {
    const C value = (range.low + unit * range.range) * range.scale;
    const T rounded = Element<T>::narrow(value);
    const bool is_past = !range.is_empty && Element<T>::widen(rounded) > range.last;
    return is_past ? Element<T>::narrow(range.last) : rounded;
  }

  UniformRange<C> range;
};

// Draws by Box-Muller in float64.
template <class T>
struct Gaussian {
  __device__ Values<T> operator()(const PhiloxBlock& block) const {
    Values<T> values;
#pragma unroll
    for (int pair = 0; pair < kPerBlock<T> / 2; ++pair) {
      const std::uint32_t* words = block.words + 2 * pair;
      double radius_unit;
      double angle_unit;
      if constexpr (std::is_same_v<T, double>) {
        radius_unit = uniform_double(words[0], words[1]) + 0x1p-53;
        angle_unit = uniform_double(words[2], words[3]);
      } else {
        radius_unit = (static_cast<double>(words[0]) + 1.0) * 0x1p-32;
        angle_unit = static_cast<double>(words[1]) * 0x1p-32;
      }
      const double radius = sqrt(-2.0 * log(radius_unit));
      double sine;
      double cosine;
      sincospi(2 * angle_unit, &sine, &cosine);
      values.lanes[2 * pair] = convert<T>(fma(normal.deviation, radius * cosine, normal.mean));
      values.lanes[2 * pair + 1] = convert<T>(fma(normal.deviation, radius * sine, normal.mean));
    }
    return values;
  }

  Normal normal;
};

// Draws numbers of mean 0 in float32; no type has more digits.
template <class T>
struct CentredGaussian {
  __device__ Values<T> operator()(const PhiloxBlock& block) const {
    Values<T> values;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const float radius = root(twice_variance * minus_log_of_unit(block.words[i]));
      const Direction at = direction(block.words[i + 1]);
      values.lanes[i] = Element<T>::narrow(radius * at.cosine);
      values.lanes[i + 1] = Element<T>::narrow(radius * at.sine);
    }
    return values;
  }

  float twice_variance;
};

template <class T>
__device__ void store_some(T* out, std::int64_t first, std::int64_t count,
                           const Values<T>& values) {
#pragma unroll
  for (int i = 0; i < kPerBlock<T>; ++i) {
    if (first + i < count) out[first + i] = values.lanes[i];
  }
}

// Two blocks at once have their keys in common.
template <class T, class Distribution>
__device__ void draw(const std::uint64_t* state, T* out, const Drawn& drawn,
                     const Distribution& distribution) {
  constexpr int kLanes = kPerBlock<T>;
  const PhiloxStream stream = philox_stream(state, drawn.is_counted, drawn.offset);
  const Turns turn = turns();
  const std::int64_t whole = is_vector<kLanes>(out) ? drawn.count / kLanes : 0;
  std::int64_t block = turn.first;
  for (; block + turn.step < whole; block += 2 * turn.step) {
    const PhiloxBlock first = philox_block(stream, block);
    const PhiloxBlock second = philox_block(stream, block + turn.step);
    store_vector(out + block * kLanes, distribution(first));
    store_vector(out + (block + turn.step) * kLanes, distribution(second));
  }
#pragma unroll 1
  for (; block * kLanes < drawn.count; block += turn.step) {
    store_some(out, block * kLanes, drawn.count, distribution(philox_block(stream, block)));
  }
}

}  // namespace

#define LOCI_RANDOM(dtype, T, ...)                                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) uniform_##dtype(              \
      const std::uint64_t* state, T* out, Drawn drawn, UniformRange<computed_t<T>> range) { \
    draw(state, out, drawn, Uniform<T>{range});                                             \
  }                                                                                         \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                               \
      gaussian_##dtype(const std::uint64_t* state, T* out, Drawn drawn, Normal normal) {    \
    draw(state, out, drawn, Gaussian<T>{normal});                                           \
  }

LOCI_FLOATS(LOCI_RANDOM)

#define LOCI_CENTRED_GAUSSIAN(dtype, T)                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) centred_gaussian_##dtype( \
      const std::uint64_t* state, T* out, Drawn drawn, float twice_variance) {          \
    draw(state, out, drawn, CentredGaussian<T>{twice_variance});                        \
  }

LOCI_CENTRED_GAUSSIAN(f32, float)
LOCI_CENTRED_GAUSSIAN(f16, __half)
LOCI_CENTRED_GAUSSIAN(bf16, __nv_bfloat16)

// The seed is drawn from the state, as if it were the first two words of an output.
extern "C" __global__ void __launch_bounds__(kBlockThreads)
    fold_in(const std::uint64_t* state, const std::int64_t* index, std::uint64_t* out,
            Drawn drawn) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const PhiloxStream stream = philox_stream(state, drawn.is_counted, drawn.offset);
  const PhiloxBlock block = philox_block(stream, index == nullptr ? 0 : index[0]);
  out[0] = std::uint64_t{block.words[1]} << 32 | block.words[0];
  out[1] = 0;
}

// The state is {seed, run}.
extern "C" __global__ void __launch_bounds__(kBlockThreads) advance(std::uint64_t* state) {
  if (blockIdx.x == 0 && threadIdx.x == 0) ++state[1];
}

}  // namespace loci::cuda
