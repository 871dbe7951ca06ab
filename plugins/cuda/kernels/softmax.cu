// softmax and log_softmax: kernels as axis_vectors.cuh says.
#include "kernels/axis_vectors.cuh"
#include "kernels/softmax_arguments.h"
#include "kernels/softmax_row.cuh"

namespace loci::cuda {
namespace {

template <class T>
struct SoftmaxBase {
  using Element = T;
  using Arguments = SoftmaxArguments;
  static constexpr int kArrays = 1;
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }
};

template <class T>
struct Softmax : SoftmaxBase<T> {
  template <class Elements>
  static __device__ void run(const SoftmaxArguments& arguments, const Elements& elements) {
    const RowSum<T> row = row_sum<T>(elements);
    const auto share = static_cast<computed_t<T>>(1 / row.sum);
    elements.store(static_cast<T*>(arguments.out),
                   [&](const auto& x, std::int64_t) { return exp(x.of[0] - row.max) * share; });
  }
};

// x - max is subtracted first: it is exact where it matters, near 0.
template <class T>
struct LogSoftmax : SoftmaxBase<T> {
  template <class Elements>
  static __device__ void run(const SoftmaxArguments& arguments, const Elements& elements) {
    const RowSum<T> row = row_sum<T>(elements);
    const auto log_sum = static_cast<computed_t<T>>(log(row.sum));
    elements.store(static_cast<T*>(arguments.out),
                   [&](const auto& x, std::int64_t) { return (x.of[0] - row.max) - log_sum; });
  }
};

}  // namespace

LOCI_AXIS_FLOATS(softmax, Softmax)
LOCI_AXIS_FLOATS(log_softmax, LogSoftmax)

}  // namespace loci::cuda
