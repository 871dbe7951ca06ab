// bilinear_interp_DTYPE(x, out, layout), and bilinear_interp_grad_DTYPE(out_grad, x_grad, layout),
// which gathers: nothing is added up in memory.
#include "kernels/bilinear_interp/resample.cuh"
#include "kernels/device/image_place.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {
namespace {

template <class T>
__device__ computed_t<T> sample_row(const T* row, const Sample& sample) {
  using C = computed_t<T>;
  const C low = Element<T>::widen(row[sample.low]);
  const C high = Element<T>::widen(row[sample.high]);
  return low + static_cast<C>(sample.weight) * (high - low);
}

template <class T>
__device__ void interpolate(const T* x, T* out, const ResampleLayout& layout) {
  using C = computed_t<T>;
  const std::int64_t width = layout.columns.source.value;
  const std::int64_t elements =
      layout.planes * layout.rows.result.value * layout.columns.result.value;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < elements; i += turn.step) {
    const ImagePlace at = image_place(i, layout.rows.result, layout.columns.result);
    const Sample row = sample_of(layout.rows, at.row);
    const Sample column = sample_of(layout.columns, at.column);
    const T* image = x + at.plane * layout.rows.source.value * width;
    const C upper = sample_row(image + row.low * width, column);
    const C lower = row.high == row.low ? upper : sample_row(image + row.high * width, column);
    out[i] = Element<T>::narrow(upper + static_cast<C>(row.weight) * (lower - upper));
  }
}

template <class T>
__device__ void gather_grad(const T* out_grad, T* x_grad, const ResampleLayout& layout) {
  using C = computed_t<T>;
  const std::int64_t width = layout.columns.result.value;
  const std::int64_t elements =
      layout.planes * layout.rows.source.value * layout.columns.source.value;
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < elements; i += turn.step) {
    const ImagePlace at = image_place(i, layout.rows.source, layout.columns.source);
    const T* gradients = out_grad + at.plane * layout.rows.result.value * width;
    const std::int64_t first_row = first_sample_of(layout.rows, at.row);
    const std::int64_t first_column = first_sample_of(layout.columns, at.column);
    C sum = 0;
    each_sample_of(layout.rows, first_row, at.row, [&](std::int64_t row, double row_share) {
      C of_row = 0;
      each_sample_of(
          layout.columns, first_column, at.column, [&](std::int64_t column, double share) {
            of_row += static_cast<C>(share) * Element<T>::widen(gradients[row * width + column]);
          });
      sum += static_cast<C>(row_share) * of_row;
    });
    x_grad[i] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_BILINEAR(dtype, T, ...)                                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                      \
      bilinear_interp_##dtype(const T* x, T* out, const __grid_constant__ ResampleLayout layout) { \
    interpolate(x, out, layout);                                                                   \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) bilinear_interp_grad_##dtype(        \
      const T* out_grad, T* x_grad, const __grid_constant__ ResampleLayout layout) {               \
    gather_grad(out_grad, x_grad, layout);                                                         \
  }

LOCI_FLOATS(LOCI_BILINEAR)

}  // namespace loci::cuda
