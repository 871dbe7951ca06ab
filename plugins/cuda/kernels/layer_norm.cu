// layer_norm and its gradient for x: kernels for rows, as axis_vectors.cuh says. Its sums over
// rows, the gradients for scale and bias: kernels as reduce.cuh says.
#include "kernels/layer_norm_arguments.h"
#include "kernels/moments.cuh"
#include "kernels/reduce.cuh"

namespace loci::cuda {
namespace {

template <class T>
__device__ computed_t<T> element_at(const void* array, std::int64_t i) {
  return Element<T>::widen(static_cast<const T*>(array)[i]);
}

template <class T>
struct LayerNorm {
  using Element = T;
  using Shared = T;
  using Arguments = LayerNormArguments;
  using C = computed_t<T>;
  static constexpr int kArrays = 1;
  template <class Visit>
  static __device__ void each_shared(Arguments& arguments, const Visit& visit) {
    visit(arguments.scale);
    visit(arguments.bias);
  }
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    const auto moments = moments_of<T>(elements);
    const auto inv_std = static_cast<C>(moments.inv_std(arguments.epsilon));
    if (elements.is_writer()) {
      static_cast<C*>(arguments.mean)[elements.vector()] = static_cast<C>(moments.mean);
      static_cast<C*>(arguments.inv_std)[elements.vector()] = inv_std;
    }
    const Centre<C> centre(moments.mean);
    SharedRow<T> scale(arguments.scale);
    SharedRow<T> bias(arguments.bias);
    elements.store_with_lane(static_cast<T*>(arguments.y),
                             [&](const auto& x, std::int64_t i, int lane) {
                               C value = centre(x.of[0]) * inv_std;
                               if (scale.is_there()) value *= scale.at(i, lane);
                               if (bias.is_there()) value += bias.at(i, lane);
                               return value;
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

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    const C mean = elements.of_vector(arguments.mean);
    const C inv_std = elements.of_vector(arguments.inv_std);
    SharedRow<T> scale(arguments.scale);
    const auto grad = [&](const auto& values, std::int64_t i, int lane) {
      return scale.is_there() ? values.of[1] * scale.at(i, lane) : values.of[1];
    };
    const auto normal = [&](const auto& values) { return (values.of[0] - mean) * inv_std; };
    Sum grads = 0;
    Sum products = 0;
    elements.each_with_lane([&](const auto& values, std::int64_t i, int lane) {
      const Sum g = grad(values, i, lane);
      grads += g;
      products += g * static_cast<Sum>(normal(values));
    });
    const auto count = static_cast<Sum>(elements.count() < 1 ? 1 : elements.count());
    const auto level = static_cast<C>(elements.template fold<Plus>(grads) / count);
    const auto slope = static_cast<C>(elements.template fold<Plus>(products) / count);
    elements.store_with_lane(
        static_cast<T*>(arguments.x_grad), [&](const auto& values, std::int64_t i, int lane) {
          return inv_std * ((grad(values, i, lane) - level) - normal(values) * slope);
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
LOCI_REDUCE_FLOATS(layer_norm_sums, LayerNormSums)

}  // namespace loci::cuda
