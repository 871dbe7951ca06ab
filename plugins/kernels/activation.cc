// gelu, and the gradients of smooth activations.
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/elementwise_functions.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

template <class F, class T>
struct Value {
  static constexpr std::int64_t kPicoseconds = picoseconds<F, T>();
  LOCI_INLINE T operator()(T x) const { return F::value(x); }
};

template <class F>
void prepare_map(Prepare& prepare) {
  sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
    emplace_map<typename decltype(tag)::type>(
        prepare, [](auto computed) { return Value<F, typename decltype(computed)::type>(); });
  });
}

struct SigmoidGrad {
  static constexpr std::int64_t kPicoseconds = 160;
  template <class C>
  LOCI_INLINE static C value(C out, C out_grad) {
    return out_grad * out * (1 - out);
  }
};

struct TanhGrad {
  static constexpr std::int64_t kPicoseconds = 160;
  template <class C>
  LOCI_INLINE static C value(C out, C out_grad) {
    return out_grad * (1 - out) * (1 + out);
  }
};

template <class F>
struct Slope {
  static constexpr std::int64_t kPicoseconds = F::kPicoseconds;
  template <class C>
  LOCI_INLINE static C value(C x, C out_grad) {
    return out_grad * F::derivative(x);
  }
};

template <class F, class T>
struct PairValue {
  static constexpr std::int64_t kPicoseconds = picoseconds<F, T>();
  LOCI_INLINE T operator()(T x, T y) const { return F::value(x, y); }
};

template <class F>
void prepare_pairs(Prepare& prepare) {
  sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
    emplace_pair_map<typename decltype(tag)::type>(
        prepare, [](auto computed) { return PairValue<F, typename decltype(computed)::type>(); });
  });
}

// One of two kernels, by the attribute "approximate".
template <sdk::PrepareFn exact, sdk::PrepareFn approximate>
class ByApproximation final : public sdk::Kernel {
 public:
  explicit ByApproximation(const sdk::OpDesc& op)
      : approximate_(op.attributes().boolean("approximate")) {}
  void prepare(Prepare& prepare) const override {
    approximate_ ? approximate(prepare) : exact(prepare);
  }

 private:
  bool approximate_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create,
         std::vector<loci_alias> aliases) {
  kernels.push_back({.op = op,
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = create,
                     .aliases = std::move(aliases)});
}

}  // namespace

void add_activation(KernelDefs& kernels) {
  using GeluKernel = ByApproximation<prepare_map<Gelu>, prepare_map<GeluTanh>>;
  using GeluGradKernel =
      ByApproximation<prepare_pairs<Slope<Gelu>>, prepare_pairs<Slope<GeluTanh>>>;
  add(kernels, "gelu", sdk::make_kernel<GeluKernel>, {{0, 0}});
  add(kernels, "sigmoid_grad", sdk::make_kernel<prepare_pairs<SigmoidGrad>>, {{0, 0}, {1, 0}});
  add(kernels, "tanh_grad", sdk::make_kernel<prepare_pairs<TanhGrad>>, {{0, 0}, {1, 0}});
  add(kernels, "gelu_grad", sdk::make_kernel<GeluGradKernel>, {{0, 0}, {1, 0}});
}

}  // namespace loci::kernels
