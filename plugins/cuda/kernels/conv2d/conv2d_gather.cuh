// Where a convolution gathers from, on the device.
//
// Rows and columns are unsigned and wrap: a negative one is past the end too. Hosts see to it that
// nothing comes round.
#pragma once

#include "kernels/conv2d/conv2d_gather.h"
#include "kernels/device/elements.cuh"
#include "kernels/device/fast_divmod.cuh"

namespace loci::cuda {

// position = outer * extent + rest
struct Split {
  std::int64_t outer;
  std::int64_t rest;
};

__device__ inline Split split(std::int64_t position, const Extent& extent) {
  if (extent.count == 1) return {position, 0};
  const std::int64_t outer = quotient(position, extent.by);
  return {outer, position - outer * extent.count};
}

// Positions along three extents, some apart, the innermost first to advance. It divides when it
// begins, and never again.
class Walk {
 public:
  __device__ Walk(std::int64_t first, std::int64_t step, std::int64_t middles, std::int64_t inners)
      : middles_(middles < 1 ? 1 : middles),
        inners_(inners < 1 ? 1 : inners),
        at_(places_of(first)),
        step_(places_of(step)) {}

  __device__ std::int64_t outer() const { return at_.outer; }
  __device__ std::int64_t middle() const { return at_.middle; }
  __device__ std::int64_t inner() const { return at_.inner; }

  __device__ void advance() {
    at_.inner += step_.inner;
    at_.middle += step_.middle;
    at_.outer += step_.outer;
    if (at_.inner >= inners_) {
      at_.inner -= inners_;
      ++at_.middle;
    }
    if (at_.middle >= middles_) {
      at_.middle -= middles_;
      ++at_.outer;
    }
  }

 private:
  struct Places {
    std::int64_t outer;
    std::int64_t middle;
    std::int64_t inner;
  };
  __device__ Places places_of(std::int64_t position) const {
    const std::int64_t line = position / inners_;
    const std::int64_t outer = line / middles_;
    return {outer, line - outer * middles_, position - line * inners_};
  }

  std::int64_t middles_;
  std::int64_t inners_;
  Places at_;
  Places step_;
};

// The places `first_place`, first_place + divisor and so on: they meet `taps` taps, the first of
// which is at `element` of the first place.
struct Phase {
  std::int64_t first_place;
  std::int64_t first_tap;
  std::int64_t taps;
  std::int64_t element;
};

__device__ inline Phase phase_at(const ConvAxis& axis, std::int64_t index) {
  const std::int64_t place = index * axis.scale + axis.shift;
  if (axis.divisor.count == 1) return {index, 0, axis.taps, place};
  const std::int64_t most = axis.tap_step < axis.taps ? axis.tap_step : axis.taps;
  for (std::int64_t tap = 0; tap < most; ++tap) {
    const std::int64_t at = place + tap * axis.dilation;
    const std::int64_t element = at / axis.divisor.count;
    if (element * axis.divisor.count != at) continue;
    return {index, tap, (axis.taps - tap - 1) / axis.tap_step + 1, element};
  }
  return {index, 0, 0, 0};
}

struct ImagePhase {
  Phase height;
  Phase width;
  __device__ std::int64_t terms(const ConvGather& gather) const {
    return gather.channels * height.taps * width.taps;
  }
};

// A channel and a tap: where its element is, from where the first is, and which weight it has.
struct Tap {
  // Along the width.
  __device__ void move(const ConvAxis& width) {
    column += static_cast<std::uint32_t>(width.element_step);
    offset += width.element_step;
    weight += width.tap_step;
  }
  std::uint32_t row;
  std::uint32_t column;
  std::int64_t offset;
  std::int64_t weight;
};

__device__ inline Tap tap_at(const ConvGather& gather, const ImagePhase& phase,
                             std::int64_t channel, std::int64_t i, std::int64_t j) {
  const std::int64_t row = i * gather.height.element_step;
  const std::int64_t column = j * gather.width.element_step;
  const std::int64_t tap =
      (phase.height.first_tap + i * gather.height.tap_step) * gather.width.taps +
      phase.width.first_tap + j * gather.width.tap_step;
  return {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
          (channel * gather.height.elements + row) * gather.width.elements + column,
          channel * gather.channel_weights + tap};
}

// The elements at which the taps of a place begin. Without a place there are no elements.
class Window {
 public:
  __device__ Window(const ConvGather& gather, const ImagePhase& phase, std::int64_t images,
                    std::int64_t i, std::int64_t j, bool is_there)
      : Window(gather, images, phase.height.element + i * gather.height.scale,
               phase.width.element + j * gather.width.scale, is_there) {}

  // Null in the padding.
  template <class T>
  __device__ const T* at(const T* source, const Tap& tap) const {
    const bool is_outside = (row_ + tap.row >= rows_) | (column_ + tap.column >= columns_);
    return is_outside ? nullptr : source + (offset_ + tap.offset);
  }
  // 0 there.
  template <class T>
  __device__ computed_t<T> element(const T* source, const Tap& tap) const {
    const T* const found = at(source, tap);
    return found == nullptr ? computed_t<T>{0} : Element<T>::widen(*found);
  }

 private:
  // `images`: of one channel each, before this one.
  __device__ Window(const ConvGather& gather, std::int64_t images, std::int64_t row,
                    std::int64_t column, bool is_there)
      : row_(static_cast<std::uint32_t>(row)),
        column_(static_cast<std::uint32_t>(column)),
        rows_(is_there ? static_cast<std::uint32_t>(gather.height.elements) : 0),
        columns_(static_cast<std::uint32_t>(gather.width.elements)),
        offset_((images * gather.height.elements + row) * gather.width.elements + column) {}

  std::uint32_t row_;
  std::uint32_t column_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::int64_t offset_;
};

}  // namespace loci::cuda
