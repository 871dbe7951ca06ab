// exp, log, roots, absolute values, rounding, clip.
#include <cmath>
#include <limits>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/convert.h"
#include "plugins/kernels/exp_lanes.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

// What costs more than a few operations says what an element of float32 costs; float64 takes three
// times that, unless it says so itself.
struct Exp {
  static constexpr std::int64_t kPicoseconds = 800;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::exp(x);
  }
};

struct Log {
  static constexpr std::int64_t kPicoseconds = 900;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::log(x);
  }
};

struct Erf {
  static constexpr std::int64_t kPicoseconds = 700;
  static constexpr std::int64_t kDoublePicoseconds = 7000;  // both sides of 1 are computed
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::erf(x);
  }
};

struct Sqrt {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return 1 / std::sqrt(x);
  }
};

struct Floor {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::floor(x);
  }
};

struct Ceil {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::ceil(x);
  }
};

// Halves to even: the mode that the processor is in by default.
struct Round {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::nearbyint(x);
  }
};

// Integers wrap, which only unsigned ones of 32 bits or more do by themselves.
struct Abs {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return std::abs(x);
    } else if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else {
      return x < 0 ? static_cast<C>(0U - static_cast<wrapping_t<C>>(x)) : x;
    }
  }
};

struct Square {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return x * x;
    } else {
      return static_cast<C>(static_cast<wrapping_t<C>>(x) * static_cast<wrapping_t<C>>(x));
    }
  }
};

// Of zeros and NaN the value itself.
struct Sign {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x != 0 ? C{1} : C{0};
    } else {
      return x > 0 ? C{1} : (x < 0 ? C{-1} : x);
    }
  }
};

template <class F, class T>
constexpr std::int64_t picoseconds() {
  if constexpr (sizeof(T) == sizeof(double) && requires { F::kDoublePicoseconds; }) {
    return F::kDoublePicoseconds;
  } else if constexpr (requires { F::kPicoseconds; }) {
    return F::kPicoseconds * (sizeof(T) == sizeof(double) ? 3 : 1);
  } else {
    return 40 * sizeof(T);
  }
}

// The elements of which there is something faster, see Map.
template <class F, class T>
struct Lanes {};

template <>
struct Lanes<Exp, float> {
  static std::int64_t lanes(float* out, const float* x, std::int64_t count) {
    return exp_lanes(out, x, count);
  }
};

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

  // As the dtype has it: the attributes rounded as elements are, so that an element can be an end.
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
  add(kernels, "exp", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Exp>>);
  add(kernels, "log", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Log>>);
  add(kernels, "erf", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Erf>>);
  add(kernels, "sqrt", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Sqrt>>);
  add(kernels, "rsqrt", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Rsqrt>>);
  add(kernels, "floor", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Floor>>);
  add(kernels, "ceil", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Ceil>>);
  add(kernels, "round", sdk::kFloatBits, sdk::make_kernel<prepare_floats<Round>>);
  add(kernels, "abs", sdk::kNumberBits, sdk::make_kernel<prepare_numbers<Abs>>);
  add(kernels, "square", sdk::kNumberBits, sdk::make_kernel<prepare_numbers<Square>>);
  add(kernels, "sign", sdk::kNumberBits, sdk::make_kernel<prepare_numbers<Sign>>);
  add(kernels, "clip", sdk::kNumberBits, sdk::make_kernel<ClipKernel>);
  kernels.push_back({.op = "clip_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<ClipGradKernel>,
                     .aliases = {{0, 0}, {1, 0}}});
}

}  // namespace loci::kernels
