// l2_normalize and its gradient: kernels as axis_vectors.cuh says.
#include "kernels/device/whole_rows.cuh"
#include "kernels/normalization/l2_normalize_arguments.h"

namespace loci::cuda {
namespace {

// So that squares neither overflow nor vanish.
template <class T>
using square_t = std::conditional_t<std::is_same_v<T, __half>, float, double>;

// Divides by products, unless C is double: the power of two, mostly 1, keeps the reciprocal
// within what C holds with all digits.
template <class C>
class Divided {
 public:
  __device__ explicit Divided(C by)
      : by_(by), power_(power_for(by)), reciprocal_(C{1} / (by * power_)) {}
  __device__ C operator()(C x) const {
    return std::is_same_v<C, double> ? x / by_ : (x * power_) * reciprocal_;
  }

 private:
  static __device__ C power_for(C by) {
    constexpr C kLarge = 0x1p100;
    constexpr C kSmall = 0x1p-100;
    if (by > kLarge) return C{0x1p-64};
    return by < kSmall ? C{0x1p64} : C{1};
  }

  C by_;
  C power_;
  C reciprocal_;
};

template <class T>
struct Normalize {
  using Element = T;
  using Arguments = NormalizeArguments;
  using C = computed_t<T>;
  static constexpr int kArrays = 1;
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }

  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.out); }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    using Sum = square_t<T>;
    const Sum squares = elements.template folded<Plus>(Sum{0}, [](Sum sum, const auto& x) {
      const auto value = static_cast<Sum>(x.of[0]);
      return fma(value, value, sum);
    });
    const auto length = static_cast<C>(sqrt(squares + static_cast<Sum>(arguments.epsilon)));
    if (elements.is_writer()) static_cast<C*>(arguments.norm)[elements.vector()] = length;
    const Divided<C> divided(length);
    elements.store(static_cast<T*>(arguments.out),
                   [&](const auto& x, auto) { return divided(x.of[0]); });
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

  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.x_grad); }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    const C length =
        elements.is_there() ? static_cast<const C*>(arguments.norm)[elements.vector()] : C{1};
    const auto sum = static_cast<C>(
        elements.template folded<Plus>(double{0}, [](double products, const auto& values) {
          return fma(static_cast<double>(values.of[0]), static_cast<double>(values.of[1]),
                     products);
        }));
    if (!elements.is_there()) return;
    const Divided<C> divided(length);
    elements.store(static_cast<T*>(arguments.x_grad), [&](const auto& values, auto) {
      return divided(fma(-values.of[0], sum, values.of[1]));
    });
  }
};

}  // namespace

LOCI_AXIS_FLOATS(l2_normalize, Normalize)
LOCI_AXIS_FLOATS(l2_normalize_grad, NormalizeGrad)
LOCI_WHOLE_ROWS_OF_FLOATS(l2_normalize, Normalize)
LOCI_WHOLE_ROWS_OF_TWO(l2_normalize_grad, NormalizeGrad)

}  // namespace loci::cuda
