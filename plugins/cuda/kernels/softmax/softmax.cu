// softmax and log_softmax: kernels as axis_vectors.cuh says.
#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/whole_rows.cuh"
#include "kernels/softmax/softmax_arguments.h"
#include "kernels/softmax/softmax_row.cuh"

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
  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.out); }
};

template <class T>
struct Softmax : SoftmaxBase<T> {
  template <class Elements>
  static __device__ void run(const SoftmaxArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    const C max = largest_of<T>(elements);
    const auto powers = elements.map([&](const auto& x) { return power<T>(x.of[0] - max); });
    const C share = share_of<T>(sum_of<T>(powers));
    powers.store(static_cast<T*>(arguments.out),
                 [&](C power_of_x, std::int64_t) { return power_of_x * share; });
  }
};

// x - max is subtracted first: it is exact where it matters, near 0.
template <class T>
struct LogSoftmax : SoftmaxBase<T> {
  template <class Elements>
  static __device__ void run(const SoftmaxArguments& arguments, const Elements& elements) {
    using C = computed_t<T>;
    const C max = largest_of<T>(elements);
    const auto distances = elements.map([&](const auto& x) { return x.of[0] - max; });
    const auto log_sum =
        static_cast<C>(log(sum_of<T>(distances, [](C distance) { return power<T>(distance); })));
    distances.store(static_cast<T*>(arguments.out),
                    [&](C distance, std::int64_t) { return distance - log_sum; });
  }
};

}  // namespace

LOCI_AXIS_FLOATS(softmax, Softmax)
LOCI_AXIS_FLOATS(log_softmax, LogSoftmax)
LOCI_WHOLE_ROWS_OF_FLOATS(softmax, Softmax)
LOCI_WHOLE_ROWS_OF_FLOATS(log_softmax, LogSoftmax)

}  // namespace loci::cuda
