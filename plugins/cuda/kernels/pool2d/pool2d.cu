// pool2d_KIND_DTYPE(x, out, layout) and its gradient, pool2d_KIND_grad_DTYPE(x, out, out_grad,
// x_grad, layout), with max or avg for KIND. The gradient of an element is gathered from the
// windows over it, in their order: nothing is added up in memory.
#include "kernels/device/image_place.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/limits.cuh"
#include "kernels/device/thread_teams.cuh"
#include "kernels/pool2d/pool_layout.h"

namespace loci::cuda {
namespace {

struct Span {
  __device__ std::int64_t size() const { return end - begin; }
  std::int64_t begin;
  std::int64_t end;
};

// The elements of a window that are no padding.
__device__ Span inside(const PoolAxis& axis, std::int64_t window) {
  const std::int64_t begin = window * axis.stride.value - axis.before;
  const std::int64_t end = begin + axis.kernel;
  return {begin > 0 ? begin : 0, end < axis.input.value ? end : axis.input.value};
}

// The windows over an element.
__device__ Span windows_over(const PoolAxis& axis, std::int64_t element) {
  const std::int64_t last = element + axis.before;
  const std::int64_t first = last - axis.kernel + axis.stride.value;  // rounded up
  const std::int64_t end = quotient(last, axis.stride) + 1;
  return {first > 0 ? quotient(first, axis.stride) : 0,
          end < axis.output.value ? end : axis.output.value};
}

// NaN counts as the largest.
template <class C>
struct Largest {
  static __device__ C neutral() { return kLowest<C>; }
  static __device__ C apply(C x, C y) { return x != x || x > y ? x : y; }
  static __device__ C finish(C state, const PoolLayout& /*layout*/, std::int64_t /*row*/,
                             std::int64_t /*column*/) {
    return state;
  }
};

// Elements of a window along an axis that count in an average.
__device__ std::int64_t counted(const PoolAxis& axis, std::int64_t window, bool counts_padding) {
  if (!counts_padding) return inside(axis, window).size();
  const std::int64_t begin = window * axis.stride.value - axis.before;
  const std::int64_t end = begin + axis.kernel;
  return (end < axis.padded_end ? end : axis.padded_end) - begin;
}

// The average of the window at [row, column], of its sum.
template <class C>
__device__ C divided(C sum, const PoolLayout& layout, std::int64_t row, std::int64_t column) {
  const bool counts_padding = layout.counts_padding != 0;
  const std::int64_t divisor =
      counted(layout.height, row, counts_padding) * counted(layout.width, column, counts_padding);
  return sum / static_cast<C>(divisor < 1 ? 1 : divisor);
}

template <class C>
struct Average {
  static __device__ C neutral() { return 0; }
  static __device__ C apply(C x, C y) { return x + y; }
  static __device__ C finish(C sum, const PoolLayout& layout, std::int64_t row,
                             std::int64_t column) {
    return divided(sum, layout, row, column);
  }
};

template <class Fold, class T>
__device__ computed_t<T> fold_window(const T* image, std::int64_t width, Span rows, Span columns,
                                     const RowTeam& team) {
  const T* line = image + rows.begin * width;
  std::int64_t lines = rows.size();
  if (columns.size() == width) {  // whole rows lie side by side
    columns.end = lines * width;
    lines = 1;
  }
  auto state = Fold::neutral();
  for (; lines > 0; --lines, line += width) {
    for (std::int64_t i = columns.begin + team.member(); i < columns.end; i += team.size()) {
      state = Fold::apply(state, Element<T>::widen(line[i]));
    }
  }
  return team.template fold<Fold>(state);
}

template <class Fold, class T>
__device__ void pool(const T* x, T* out, const PoolLayout& layout) {
  const RowTeam team(layout.team);
  const std::int64_t width = layout.width.input.value;
  const std::int64_t image_size = layout.height.input.value * width;
  const std::int64_t windows =
      layout.planes * layout.height.output.value * layout.width.output.value;
  for (std::int64_t i = team.first_item(); i < windows; i += team.item_step()) {
    const ImagePlace at = image_place(i, layout.height.output, layout.width.output);
    const Span rows = inside(layout.height, at.row);
    const Span columns = inside(layout.width, at.column);
    const auto state = fold_window<Fold>(x + at.plane * image_size, width, rows, columns, team);
    if (team.member() == 0) {
      out[i] = Element<T>::narrow(Fold::finish(state, layout, at.row, at.column));
    }
  }
}

// A window over an element: where it lies among those of its plane, and among all.
struct WindowPlace {
  std::int64_t row;
  std::int64_t column;
  std::int64_t index;
};

// The share that an element gets of the gradient of one window over it.
template <class T>
struct ShareOfAll {
  __device__ computed_t<T> operator()(const ImagePlace& /*at*/, const WindowPlace& window,
                                      const PoolLayout& layout) const {
    return divided(Element<T>::widen(out_grad[window.index]), layout, window.row, window.column);
  }
  const T* x;
  const T* out;
  const T* out_grad;
};

// All of it, if no element of the window before is as large.
template <class T>
struct ShareOfLargest {
  using C = computed_t<T>;
  __device__ C operator()(const ImagePlace& at, const WindowPlace& window,
                          const PoolLayout& layout) const {
    const Span rows = inside(layout.height, window.row);
    const Span columns = inside(layout.width, window.column);
    const std::int64_t width = layout.width.input.value;
    const T* image = x + at.plane * layout.height.input.value * width;
    const C largest = Element<T>::widen(out[window.index]);
    const auto is_largest = [&](std::int64_t row, std::int64_t column) {
      const C value = Element<T>::widen(image[row * width + column]);
      return value == largest || (value != value && largest != largest);
    };
    if (!is_largest(at.row, at.column)) return 0;
    for (std::int64_t row = rows.begin; row <= at.row; ++row) {
      const std::int64_t end = row == at.row ? at.column : columns.end;
      for (std::int64_t column = columns.begin; column < end; ++column) {
        if (is_largest(row, column)) return 0;
      }
    }
    return Element<T>::widen(out_grad[window.index]);
  }
  const T* x;
  const T* out;
  const T* out_grad;
};

template <class Share, class T>
__device__ void gather_grad(const Share& share, T* x_grad, const PoolLayout& layout) {
  const std::int64_t across = layout.width.output.value;
  const std::int64_t elements =
      layout.planes * layout.height.input.value * layout.width.input.value;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < elements; i += turn.step) {
    const ImagePlace at = image_place(i, layout.height.input, layout.width.input);
    const Span down = windows_over(layout.height, at.row);
    const Span along = windows_over(layout.width, at.column);
    computed_t<T> sum = 0;
    for (std::int64_t row = down.begin; row < down.end; ++row) {
      const std::int64_t first = (at.plane * layout.height.output.value + row) * across;
      for (std::int64_t column = along.begin; column < along.end; ++column) {
        sum += share(at, {row, column, first + column}, layout);
      }
    }
    x_grad[i] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_POOL(dtype, T, kind, Fold, Share)                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                  \
      pool2d_##kind##_##dtype(const T* x, T* out, const __grid_constant__ PoolLayout layout) { \
    pool<Fold<computed_t<T>>>(x, out, layout);                                                 \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                  \
      pool2d_##kind##_grad_##dtype(const T* x, const T* out, const T* out_grad, T* x_grad,     \
                                   const __grid_constant__ PoolLayout layout) {                \
    gather_grad(Share<T>{x, out, out_grad}, x_grad, layout);                                   \
  }

LOCI_FLOATS(LOCI_POOL, max, Largest, ShareOfLargest)
LOCI_FLOATS(LOCI_POOL, avg, Average, ShareOfAll)

}  // namespace loci::cuda
