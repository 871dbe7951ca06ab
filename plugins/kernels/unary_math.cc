// The functions of the table of elementwise functions, and clip.
#include <cmath>
#include <limits>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/circular_lanes.h"
#include "plugins/kernels/convert.h"
#include "plugins/kernels/elementwise_functions.h"
#include "plugins/kernels/exp_lanes.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

// The elements of which there is something faster, see Map.
template <class F, class T>
struct Lanes {};

template <>
struct Lanes<Exp, float> {
  static std::int64_t lanes(float* out, const float* x, std::int64_t count) {
    return exp_lanes(out, x, count);
  }
};

template <class F>
struct CircularLanes {
  static std::int64_t lanes(float* out, const float* x, std::int64_t count) {
    return circular_lanes<F>(out, x, count);
  }
};
template <>
struct Lanes<Sin, float> : CircularLanes<Sin> {};
template <>
struct Lanes<Cos, float> : CircularLanes<Cos> {};
template <>
struct Lanes<Tan, float> : CircularLanes<Tan> {};

template <class F, class T>
struct Value : Lanes<F, T> {
  static constexpr std::int64_t kPicoseconds = picoseconds<F, T>();
  LOCI_INLINE T operator()(T x) const { return F::value(x); }
};

template <class F, class T>
void emplace(Prepare& prepare) {
  emplace_map<T>(prepare,
                 [](auto computed) { return Value<F, typename decltype(computed)::type>(); });
}

template <class F>
void prepare_floats(Prepare& prepare) {
  sdk::visit_floats(prepare.op().input(0).dtype(),
                    [&](auto tag) { emplace<F, typename decltype(tag)::type>(prepare); });
}

template <class F>
void prepare_numbers(Prepare& prepare) {
  sdk::visit_numbers(prepare.op().input(0).dtype(),
                     [&](auto tag) { emplace<F, typename decltype(tag)::type>(prepare); });
}

// NaN passes, as the comparisons are written.
template <class T>
struct Clip {
  LOCI_INLINE T operator()(T x) const {
    const T above = x < min ? min : x;
    return above > max ? max : above;
  }
  T min;
  T max;
};

template <class T>
struct ClipGrad {
  LOCI_INLINE T operator()(T x, T out_grad) const { return x < min || x > max ? T{0} : out_grad; }
  T min;
  T max;
};

class Range {
 public:
  explicit Range(const sdk::OpDesc& op)
      : min_(op.attributes().real("min")), max_(op.attributes().real("max")) {}

  // Returns the range in the dtype: attributes are rounded as elements are, which can be an end.
  template <class T>
  [[nodiscard]] Clip<sdk::compute_t<T>> clip() const {
    using C = sdk::compute_t<T>;
    if constexpr (sdk::is_float<T>) {
      return {static_cast<C>(static_cast<T>(min_)), static_cast<C>(static_cast<T>(max_))};
    } else {
      return {convert<T>(std::ceil(min_)), convert<T>(std::floor(max_))};
    }
  }

 private:
  double min_;
  double max_;
};

class ClipKernel final : public sdk::Kernel {
 public:
  explicit ClipKernel(const sdk::OpDesc& op) : range_(op) {}
  void prepare(Prepare& prepare) const override {
    sdk::visit_numbers(prepare.op().input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      emplace_map<T>(prepare, [&](auto /*computed*/) { return range_.clip<T>(); });
    });
  }

 private:
  Range range_;
};

class ClipGradKernel final : public sdk::Kernel {
 public:
  explicit ClipGradKernel(const sdk::OpDesc& op) : range_(op) {}
  void prepare(Prepare& prepare) const override {
    sdk::visit_floats(prepare.op().input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto clip = range_.clip<T>();
      emplace_pair_map<T>(prepare, [&](auto computed) {
        return ClipGrad<typename decltype(computed)::type>{clip.min, clip.max};
      });
    });
  }

 private:
  Range range_;
};

void add(KernelDefs& kernels, std::string_view op, std::uint64_t dtypes, sdk::CreateFn create) {
  kernels.push_back(
      {.op = op, .name = kPortable, .dtypes = dtypes, .create = create, .aliases = {{0, 0}}});
}

}  // namespace

void add_unary_math(KernelDefs& kernels) {
#define LOCI_ADD(op, Function) \
  add(kernels, #op, sdk::kFloatBits, sdk::make_kernel<prepare_floats<Function>>);
  LOCI_FLOAT_FUNCTIONS(LOCI_ADD)
#undef LOCI_ADD
#define LOCI_ADD(op, Function) \
  add(kernels, #op, sdk::kNumberBits, sdk::make_kernel<prepare_numbers<Function>>);
  LOCI_NUMBER_FUNCTIONS(LOCI_ADD)
#undef LOCI_ADD
  add(kernels, "clip", sdk::kNumberBits, sdk::make_kernel<ClipKernel>);
  kernels.push_back({.op = "clip_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<ClipGradKernel>,
                     .aliases = {{0, 0}, {1, 0}}});
}

}  // namespace loci::kernels
