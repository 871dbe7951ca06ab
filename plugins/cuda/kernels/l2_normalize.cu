// l2_normalize and its gradient: kernels as axis_vectors.cuh says. Sums are in double, so that
// squares of float elements neither overflow nor vanish.
#include "kernels/axis_vectors.cuh"
#include "kernels/l2_normalize_arguments.h"

namespace loci::cuda {
namespace {

template <class T>
struct Normalize {
  using Element = T;
  using Arguments = NormalizeArguments;
  using C = computed_t<T>;
  static constexpr int kArrays = 1;
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    double squares = 0;
    elements.each([&](const auto& x, std::int64_t) {
      const auto value = static_cast<double>(x.of[0]);
      squares += value * value;
    });
    squares = elements.template fold<Plus>(squares);
    const auto length = static_cast<C>(sqrt(squares + arguments.epsilon));
    if (elements.is_writer()) static_cast<C*>(arguments.norm)[elements.vector()] = length;
    elements.store(static_cast<T*>(arguments.out),
                   [&](const auto& x, std::int64_t) { return x.of[0] / length; });
  }
};

// (dy - y sum(y dy)) / norm.
template <class T>
struct NormalizeGrad {
  using Element = T;
  using Arguments = NormalizeGradArguments;
  using C = computed_t<T>;
  static constexpr int kArrays = 2;
  static __device__ Arrays<T, 2> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.out), static_cast<const T*>(arguments.out_grad)}};
  }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    double products = 0;
    elements.each([&](const auto& values, std::int64_t) {
      products += static_cast<double>(values.of[0]) * static_cast<double>(values.of[1]);
    });
    const auto sum = static_cast<C>(elements.template fold<Plus>(products));
    if (!elements.is_there()) return;
    const C length = static_cast<const C*>(arguments.norm)[elements.vector()];
    elements.store(static_cast<T*>(arguments.x_grad), [&](const auto& values, std::int64_t) {
      return (values.of[1] - values.of[0] * sum) / length;
    });
  }
};

}  // namespace

LOCI_AXIS_FLOATS(l2_normalize, Normalize)
LOCI_AXIS_FLOATS(l2_normalize_grad, NormalizeGrad)

}  // namespace loci::cuda
