// scale, and the gradient of relu.
#include <cmath>

#include "plugins/kernels/convert.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

// Takes relu's result; written so that NaN lets the gradient through.
template <class T>
struct ReluGrad {
  LOCI_INLINE T operator()(T out, T out_grad) const { return out <= T{0} ? T{0} : out_grad; }
};

void prepare_relu_grad(Prepare& prepare) {
  sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
    emplace_pair_map<typename decltype(tag)::type>(
        prepare, [](auto computed) { return ReluGrad<typename decltype(computed)::type>(); });
  });
}

template <class T>
struct ScaleFloat {
  LOCI_INLINE T operator()(T x) const { return x * factor + bias; }
  T factor;
  T bias;
};

// Exact, modulo 2^n, when factor and bias are integers.
template <class T>
struct ScaleInteger {
  LOCI_INLINE T operator()(T x) const {
    return static_cast<T>(static_cast<std::uint64_t>(x) * factor + bias);
  }
  std::uint64_t factor;
  std::uint64_t bias;
};

template <class T>
struct ScaleRounded {
  LOCI_INLINE T operator()(T x) const { return convert<T>(static_cast<double>(x) * factor + bias); }
  double factor;
  double bias;
};

bool is_long_integer(double value) {
  return std::abs(value) < 9.0e18 && value == std::trunc(value);
}

std::uint64_t wrapped(double value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

class Scale final : public sdk::Kernel {
 public:
  explicit Scale(const OpDesc& op)
      : factor_(op.attributes().real("scale")), bias_(op.attributes().real("bias")) {}

  void prepare(Prepare& prepare) const override {
    sdk::visit_numbers(prepare.op().input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (sdk::is_float<T>) {
        emplace_map<T>(prepare, [&](auto computed) {
          using C = typename decltype(computed)::type;
          return ScaleFloat<C>{static_cast<C>(factor_), static_cast<C>(bias_)};
        });
      } else if (is_long_integer(factor_) && is_long_integer(bias_)) {
        emplace<T>(prepare, ScaleInteger<T>{wrapped(factor_), wrapped(bias_)});
      } else {
        emplace<T>(prepare, ScaleRounded<T>{factor_, bias_});
      }
    });
  }

 private:
  template <class T, class Op>
  static void emplace(Prepare& prepare, Op op) {
    prepare.emplace<Map<T, T, Op>>(&prepare.host(), prepare.op().input(0).numel(), op);
  }

  double factor_;
  double bias_;
};

}  // namespace

void add_elementwise_unary(KernelDefs& kernels) {
  kernels.push_back({.op = "relu_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<prepare_relu_grad>,
                     .aliases = {{0, 0}, {1, 0}}});
  kernels.push_back({.op = "scale",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<Scale>,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::kernels
