// pad_BYTES(x, out, dimensions, value): units of 1 to 16 bytes, on which both sides are aligned; a
// thread writes 16 bytes at a time, and each is written once. pad_grad_DTYPE(grad, out,
// dimensions): a thread sums over all places where an element of x went, in their order, so that
// the bits are always the same.
#include <cstdint>

#include "kernels/device/elements.cuh"
#include "kernels/device/fast_divmod.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/move/pad_axes.h"

namespace loci::cuda {
namespace {

// The unit of x that unit i of the result is; -1 if it is the constant.
__device__ std::int64_t pad_source(const PadDimension& dimension, PadFill fill, std::int64_t i) {
  const std::int64_t kept = dimension.kept.value;
  const std::int64_t at = i - dimension.before;
  if (at >= 0 && at < kept) return dimension.first + at;
  switch (fill) {
    case PadFill::kConstant: return -1;
    case PadFill::kReflect: return dimension.first + (at < 0 ? -at : 2 * (kept - 1) - at);
    case PadFill::kEdge: return dimension.first + (at < 0 ? 0 : kept - 1);
    default: break;
  }
  const std::int64_t shifted = i + dimension.shift;
  return dimension.first + shifted - quotient(shifted, dimension.kept) * kept;
}

// A place in a row of the result.
struct PadPlace {
  std::int64_t row = 0;  // of x, its first unit
  std::int64_t column;   // of the result
  bool is_in_x = true;   // whether the row is; else it has constants alone
};

__device__ PadPlace locate_padded(const PadDimensions& dimensions, std::int64_t position) {
  std::int64_t rest = quotient(position, dimensions.of[0].walked);
  PadPlace at;
  at.column = position - rest * dimensions.of[0].walked.value;
#pragma unroll 1  // none, two or three rounds
  for (int i = 1; i < dimensions.rank; ++i) {
    const PadDimension& dimension = dimensions.of[i];
    const bool is_last = i + 1 == dimensions.rank;
    const std::int64_t outer = is_last ? 0 : quotient(rest, dimension.walked);
    const std::int64_t source =
        pad_source(dimension, dimensions.fill, rest - outer * dimension.walked.value);
    if (source < 0) at.is_in_x = false;
    at.row += source * dimension.stride;
    rest = outer;
  }
  return at;
}

// Units that lie side by side on both sides.
template <class Unit>
__device__ Vector<Unit> load_kept(const Unit* from) {
  if (are_vectors(from)) return load_vector(from);
  Vector<Unit> vector;
#pragma unroll
  for (int i = 0; i < Vector<Unit>::kLanes; ++i) vector.lanes[i] = from[i];
  return vector;
}

template <class Unit>
__device__ Unit load_padded(const Unit* x, const PadDimensions& dimensions, const PadPlace& at,
                            Unit value) {
  if (!at.is_in_x) return value;
  const std::int64_t source = pad_source(dimensions.of[0], dimensions.fill, at.column);
  return source < 0 ? value : x[at.row + source];
}

// Those from `position` on, which may reach into other rows, as many as there are.
template <class Unit>
__device__ Vector<Unit> load_units(const Unit* x, const PadDimensions& dimensions,
                                   std::int64_t position, Unit value) {
  const PadDimension& row = dimensions.of[0];
  PadPlace at = locate_padded(dimensions, position);
  const std::int64_t begin = at.column - row.before;
  if (at.is_in_x && begin >= 0 && begin + Vector<Unit>::kLanes <= row.kept.value) {
    return load_kept(x + at.row + row.first + begin);
  }
  Vector<Unit> vector{};
#pragma unroll
  for (int i = 0; i < Vector<Unit>::kLanes; ++i) {
    if (position + i < dimensions.count) vector.lanes[i] = load_padded(x, dimensions, at, value);
    ++at.column;
    const bool is_over = at.column == row.padded && position + i + 1 < dimensions.count;
    if (is_over) at = locate_padded(dimensions, position + i + 1);
  }
  return vector;
}

template <class Unit>
__device__ void pad_units(const Unit* x, Unit* out, const PadDimensions& dimensions, Unit value) {
  constexpr int kLanes = Vector<Unit>::kLanes;
  const Turns turn = turns();
  const bool is_aligned = are_vectors(out);
  for (std::int64_t i = turn.first * kLanes; i < dimensions.count; i += turn.step * kLanes) {
    const Vector<Unit> vector = load_units(x, dimensions, i, value);
    if (is_aligned && i + kLanes <= dimensions.count) {
      store_vector(out + i, vector);
      continue;
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      if (i + lane < dimensions.count) out[i + lane] = vector.lanes[lane];
    }
  }
}

// The value's bits, repeated in 8 bytes, as a unit.
template <class Unit>
__device__ Unit unit_of(std::uint64_t value) {
  return static_cast<Unit>(value);
}
using PadWords = Vector<std::uint32_t>;
template <>
__device__ PadWords unit_of<PadWords>(std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value);
  const auto high = static_cast<std::uint32_t>(value >> 32);
  return {{low, high, low, high}};
}

// Where in the result a unit of x is: at `first`, `step` later, and `next` after each other.
struct PadPlaces {
  std::int64_t count;
  std::int64_t first;
  std::int64_t step;
  std::int64_t next;

  __device__ std::int64_t at(std::int64_t i) const {
    return i == 0 ? first : first + step + (i - 1) * next;
  }
};

__device__ PadPlaces reflected_places(const PadDimension& dimension, std::int64_t at) {
  const std::int64_t self = dimension.before + at;
  const std::int64_t left = at;                              // from the mirror to the element
  const std::int64_t right = dimension.kept.value - 1 - at;  // and to the other mirror
  const bool is_left = left > 0 && left <= dimension.before;
  const bool is_right = right > 0 && self + 2 * right < dimension.padded;
  if (!is_left) return {is_right ? 2 : 1, self, 2 * right, 0};
  return {is_right ? 3 : 2, self - 2 * left, 2 * left, 2 * right};
}

__device__ PadPlaces pad_places(const PadDimension& dimension, PadFill fill, std::int64_t element) {
  const std::int64_t kept = dimension.kept.value;
  const std::int64_t at = element - dimension.first;
  if (at < 0 || at >= kept) return {0, 0, 0, 0};
  const std::int64_t self = dimension.before + at;
  if (fill == PadFill::kReflect) return reflected_places(dimension, at);
  if (fill == PadFill::kWrap) {
    const std::int64_t first = self - quotient(self, dimension.kept) * kept;
    return {quotient(dimension.padded - first - 1, dimension.kept) + 1, first, kept, kept};
  }
  const std::int64_t first = at == 0 ? 0 : self;
  const std::int64_t end = at == kept - 1 ? dimension.padded : self + 1;
  return {end - first, first, 1, 1};
}

// An element has several places along each dimension, and is at one of them in turn.
struct PadTurns {
  PadPlaces places[kMostAxes + 1];
  std::int64_t turn[kMostAxes + 1];

  // Goes to the next one, the innermost dimension first; false if there is none.
  __device__ bool advance(const PadDimensions& dimensions, std::int64_t& offset) {
#pragma unroll 1
    for (int i = 0; i < dimensions.rank; ++i) {
      const PadPlaces& of = places[i];
      const std::int64_t from = of.at(turn[i]);
      turn[i] = turn[i] + 1 < of.count ? turn[i] + 1 : 0;
      offset += (of.at(turn[i]) - from) * dimensions.of[i].stride;
      if (turn[i] != 0) return true;
    }
    return false;
  }
};

template <class T>
__device__ computed_t<T> sum_places(const T* grad, const PadDimensions& dimensions,
                                    std::int64_t element) {
  PadTurns at;
  std::int64_t offset = 0;
  bool is_kept = true;
#pragma unroll 1
  for (int i = 0; i < dimensions.rank; ++i) {
    const PadDimension& dimension = dimensions.of[i];
    const std::int64_t outer = quotient(element, dimension.walked);
    at.places[i] = pad_places(dimension, dimensions.fill, element - outer * dimension.walked.value);
    at.turn[i] = 0;
    if (at.places[i].count == 0) is_kept = false;
    offset += at.places[i].first * dimension.stride;
    element = outer;
  }
  computed_t<T> sum = 0;
  if (!is_kept) return sum;
  do {
    sum += Element<T>::widen(grad[offset]);
  } while (at.advance(dimensions, offset));
  return sum;
}

template <class T>
__device__ void pad_grad(const T* grad, T* out, const PadDimensions& dimensions) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < dimensions.count; i += turn.step) {
    out[i] = narrowed<T>(sum_places(grad, dimensions, i));
  }
}

}  // namespace

#define LOCI_PAD(bytes, Unit)                                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                 \
      pad_##bytes(const Unit* x, Unit* out, const __grid_constant__ PadDimensions dimensions, \
                  std::uint64_t value) {                                                      \
    pad_units<Unit>(x, out, dimensions, unit_of<Unit>(value));                                \
  }

LOCI_PAD(1, std::uint8_t)
LOCI_PAD(2, std::uint16_t)
LOCI_PAD(4, std::uint32_t)
LOCI_PAD(8, std::uint64_t)
LOCI_PAD(16, PadWords)

#define LOCI_PAD_GRAD(dtype, T, ...)                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                     \
      pad_grad_##dtype(const T* grad, T* out, const __grid_constant__ PadDimensions dimensions) { \
    pad_grad(grad, out, dimensions);                                                              \
  }

LOCI_FLOATS(LOCI_PAD_GRAD)

}  // namespace loci::cuda
