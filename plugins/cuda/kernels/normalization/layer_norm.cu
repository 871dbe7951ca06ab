// layer_norm and its gradient for x: kernels for rows, as axis_vectors.cuh says. Its sums over
// rows, the gradients for scale and bias: kernels as reduce.cuh says.
#include "kernels/device/whole_rows.cuh"
#include "kernels/normalization/layer_norm_arguments.h"
#include "kernels/normalization/moments.cuh"
#include "kernels/reduce/reduce.cuh"

namespace loci::cuda {
namespace {

template <class T>
__device__ computed_t<T> element_at(const void* array, std::int64_t i) {
  return Element<T>::widen(static_cast<const T*>(array)[i]);
}

// Divides a sum of so many terms by their count. A product with what is computed before the sum is
// known is exact enough where sums have digits to spare.
template <class Sum>
class Share {
 public:
  __device__ explicit Share(std::int64_t count)
      : count_(static_cast<Sum>(count < 1 ? 1 : count)), part_(1 / count_) {}
  __device__ Sum of(Sum sum) const {
    return std::is_same_v<Sum, double> ? sum * part_ : sum / count_;
  }

 private:
  Sum count_;
  Sum part_;
};

template <class T>
struct LayerNorm {
  using Element = T;
  using Shared = T;
  using Arguments = LayerNormArguments;
  using C = computed_t<T>;
  using Sum = sum_t<T>;
  static constexpr int kArrays = 1;
  template <class Visit>
  static __device__ void each_shared(Arguments& arguments, const Visit& visit) {
    visit(arguments.scale);
    visit(arguments.bias);
  }
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }

  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.y); }

  // In two passes: the square of a mean is never subtracted.
  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    auto scale = elements.shared_row(arguments.scale, 1);
    auto bias = elements.shared_row(arguments.bias, 0);
    const Share<Sum> share(elements.count());
    const Sum mean = share.of(elements.template folded<Plus>(
        Sum{0}, [](Sum sum, const auto& x) { return sum + static_cast<Sum>(x.of[0]); }));
    const Centre<C, Sum> centre(mean);
    const auto distances = elements.map([&](const auto& x) { return centre(x.of[0]); });
    const Sum variance = share.of(distances.template folded<Plus>(Sum{0}, [](Sum sum, C distance) {
      return fma(static_cast<Sum>(distance), static_cast<Sum>(distance), sum);
    }));
    const auto inv_std = static_cast<C>(Moments<Sum>{mean, variance}.inv_std(arguments.epsilon));
    if (elements.is_writer()) {
      static_cast<C*>(arguments.mean)[elements.vector()] = static_cast<C>(mean);
      static_cast<C*>(arguments.inv_std)[elements.vector()] = inv_std;
    }
    distances.store_with_slot(static_cast<T*>(arguments.y), [&](C distance, auto i, int slot) {
      const C factor = scale.at(i, slot);
      return fma(distance * inv_std, factor, bias.at(i, slot));
    });
  }
};

// inv_std (g - mean(g) - h mean(g h)), g = y_grad scale, h = (x - mean) inv_std.
template <class T>
struct LayerNormGrad {
  using Element = T;
  using Shared = T;
  using Arguments = LayerNormGradArguments;
  using C = computed_t<T>;
  using Sum = sum_t<T>;
  static constexpr int kArrays = 2;
  template <class Visit>
  static __device__ void each_shared(Arguments& arguments, const Visit& visit) {
    visit(arguments.scale);
  }
  static __device__ Arrays<T, 2> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x), static_cast<const T*>(arguments.y_grad)}};
  }

  static __device__ T* out(const Arguments& arguments) { return static_cast<T*>(arguments.x_grad); }

  struct Sums {
    __device__ Sums operator+(Sums other) const {
      return {grads + other.grads, products + other.products};
    }
    Sum grads;
    Sum products;
  };

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    auto scale = elements.shared_row(arguments.scale, 1);
    const C mean = elements.of_vector(arguments.mean);
    const C inv_std = elements.of_vector(arguments.inv_std);
    const Share<Sum> share(elements.count());
    const auto grad = [&](const auto& values, auto i, int slot) {
      return values.of[1] * scale.at(i, slot);
    };
    const auto normal = [&](const auto& values) { return (values.of[0] - mean) * inv_std; };
    const Sums sums = elements.template folded_with_slot<Plus>(
        Sums{0, 0}, [&](Sums before, const auto& values, auto i, int slot) {
          const Sum g = grad(values, i, slot);
          return Sums{before.grads + g, fma(g, static_cast<Sum>(normal(values)), before.products)};
        });
    const auto level = static_cast<C>(share.of(sums.grads));
    const auto slope = static_cast<C>(share.of(sums.products));
    elements.store_with_slot(
        static_cast<T*>(arguments.x_grad), [&](const auto& values, auto i, int slot) {
          return inv_std * fma(-normal(values), slope, grad(values, i, slot) - level);
        });
  }
};

// The elements are those of y_grad; positions are rows, and outputs columns.
template <class T>
struct LayerNormSums {
  struct State {
    sum_t<T> scale;
    sum_t<T> bias;
  };
  using Input = T;
  using Result = T;
  using Extra = LayerNormSumsArguments;
  using C = computed_t<T>;

  static __device__ State neutral() { return {0, 0}; }
  static __device__ State apply(State x, State y) { return {x.scale + y.scale, x.bias + y.bias}; }
  static __device__ State term(C grad, C x, C mean, C inv_std) {
    const C normal = (x - mean) * inv_std;
    return {static_cast<sum_t<T>>(grad) * static_cast<sum_t<T>>(normal),
            static_cast<sum_t<T>>(grad)};
  }
  __device__ C mean(std::int64_t row) const { return static_cast<const C*>(extra.mean)[row]; }
  __device__ C inv_std(std::int64_t row) const { return static_cast<const C*>(extra.inv_std)[row]; }
  __device__ State term(T value, const Place& at) const {
    return term(Element<T>::widen(value), element_at<T>(extra.x, at.offset), mean(at.position),
                inv_std(at.position));
  }

  template <int lanes>
  struct Row {
    Vector<T, lanes> grads;
    Vector<T, lanes> x;
    C mean;
    C inv_std;
  };
  template <int lanes, bool are_aligned>
  __device__ Row<lanes> row(std::int64_t offset, std::int64_t position) const {
    return {load_beside<lanes, are_aligned>(x + offset),
            load_beside<lanes, are_aligned>(static_cast<const T*>(extra.x) + offset),
            mean(position), inv_std(position)};
  }
  template <int lanes>
  static __device__ State term(const Row<lanes>& row, int lane) {
    return term(Element<T>::widen(row.grads.lanes[lane]), Element<T>::widen(row.x.lanes[lane]),
                row.mean, row.inv_std);
  }
  template <int lanes>
  __device__ bool is_aligned() const {
    return is_vector<lanes>(x) && is_vector<lanes>(static_cast<const T*>(extra.x));
  }

  __device__ void write(std::int64_t output, State sums) const {
    if (out != nullptr) out[output] = Element<T>::narrow(static_cast<C>(sums.scale));
    if (extra.bias_grad != nullptr) {
      static_cast<T*>(extra.bias_grad)[output] = Element<T>::narrow(static_cast<C>(sums.bias));
    }
  }

  const T* x;
  T* out;
  Extra extra;
};

}  // namespace

LOCI_AXIS_LONG_ROWS_OF_FLOATS(layer_norm, LayerNorm)
LOCI_AXIS_LONG_ROWS_OF_FLOATS(layer_norm_grad, LayerNormGrad)
LOCI_WHOLE_ROWS_OF_FLOATS(layer_norm, LayerNorm)
LOCI_WHOLE_ROWS_OF_TWO(layer_norm_grad, LayerNormGrad)
LOCI_REDUCE_FLOATS(layer_norm_sums, LayerNormSums)

}  // namespace loci::cuda
