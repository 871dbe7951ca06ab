// elementwise_add, _sub, _mul, _div, _max, _min, _pow, _mod with broadcasting, and the gradients of
// max and min.
#include <cmath>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/broadcast_map.h"
#include "plugins/kernels/half_broadcast_map.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

struct Add {
  static constexpr bool kIgnoresSign = true;
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrapping_t<T>>(x) + static_cast<wrapping_t<T>>(y));
    } else {
      return x + y;
    }
  }
};

struct Sub {
  static constexpr bool kIgnoresSign = true;
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrapping_t<T>>(x) - static_cast<wrapping_t<T>>(y));
    } else {
      return x - y;
    }
  }
};

struct Mul {
  static constexpr bool kIgnoresSign = true;
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<wrapping_t<T>>(x) * static_cast<wrapping_t<T>>(y));
    } else {
      return x * y;
    }
  }
};

// An integer divided by zero is zero, and the lowest integer divided by -1 wraps: the processor
// would end the process for both.
struct Div {
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return Sub::apply<T>(0, x);
      }
      return static_cast<T>(x / y);
    } else {
      return x / y;
    }
  }
};

// NaN in either is the result.
struct Max {
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return x > y || x != x ? x : y;
    } else {
      return x > y ? x : y;
    }
  }
};

struct Min {
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return x < y || x != x ? x : y;
    } else {
      return x < y ? x : y;
    }
  }
};

// x^-n of integers: 1 / x^n truncated.
template <class T>
LOCI_INLINE inline T inverse_power(T x, bool odd) {
  if (x == 1) return 1;
  if (x == static_cast<T>(-1)) return odd ? x : T{1};
  return 0;
}

struct Pow {
  static constexpr std::int64_t kPicoseconds = 10000;  // the library's, an element at a time
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (y < 0) return inverse_power(x, (y & 1) != 0);
      }
      wrapping_t<T> result = 1;
      auto square = static_cast<wrapping_t<T>>(x);
      for (auto rest = static_cast<wrapping_t<T>>(y); rest != 0; rest >>= 1U, square *= square) {
        if ((rest & 1U) != 0) result *= square;
      }
      return static_cast<T>(result);
    } else {
      return std::pow(x, y);
    }
  }
};

// The remainder with the sign of the divisor. fmod is exact; adding y to a remainder of the other
// sign rounds once.
struct Mod {
  static constexpr std::int64_t kPicoseconds = 10000;  // the library's, an element at a time
  template <class T>
  LOCI_INLINE static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return 0;  // the processor would end the process for the lowest integer
        const T rest = static_cast<T>(x % y);
        return rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
      } else {
        return static_cast<T>(x % y);
      }
    } else {
      const T rest = std::fmod(x, y);
      if (rest == 0) return std::copysign(rest, y);
      return (rest < 0) != (y < 0) ? rest + y : rest;
    }
  }
};

template <class Op, class T>
using element_t = unsigned_if_t<IgnoresSign<Op>, T>;

// On elements of one type.
template <class Op, class T>
struct Stored {
  LOCI_INLINE static T apply(T x, T y) { return Op::template apply<T>(x, y); }
};

// A division of integers, or a call of the library, for each element.
template <class Op, class T>
struct SlowStored : Stored<Op, T> {
  static constexpr bool kIsSlow = true;
};

template <class Op, class T>
constexpr bool is_slow() {
  if constexpr (std::is_same_v<Op, Div>) {
    return std::is_integral_v<T>;
  } else {
    return std::is_same_v<Op, Pow> || std::is_same_v<Op, Mod>;
  }
}

template <class Op, class T>
constexpr std::int64_t picoseconds() {
  if constexpr (requires { Op::kPicoseconds; }) {
    return Op::kPicoseconds;
  } else {
    return 40 * sizeof(T);
  }
}

template <class Op>
void prepare_binary(Prepare& prepare) {
  const auto& op = prepare.op();
  const sdk::BroadcastPlan plan =
      sdk::plan_broadcast(op.input(0).dims(), op.input(1).dims(), op.output(0).dims());
  sdk::visit_numbers(op.input(0).dtype(), [&](auto tag) {
    using T = element_t<Op, typename decltype(tag)::type>;
    using C = sdk::compute_t<T>;
    using Applied = std::conditional_t<is_slow<Op, C>(), SlowStored<Op, C>, Stored<Op, C>>;
    if constexpr (sdk::is_half<T>) {
      emplace_half_broadcast_map<Applied, picoseconds<Op, C>(), T, T>(prepare, plan);
    } else {
      emplace_broadcast_map<Applied, picoseconds<Op, T>(), T, T, T>(prepare, plan);
    }
  });
}

// The share of the gradient that the larger of a pair gets: half of it if neither is.
template <class T>
struct ShareOfLarger {
  static constexpr std::size_t kMayStay = 2;  // out_grad has the shape of the result
  LOCI_INLINE static T apply(T x, T y, T out_grad) {
    const T share = x > y ? T{1} : (y > x ? T{0} : T{0.5});
    return share == 0 ? T{0} : share * out_grad;
  }
};

void prepare_share_of_larger(Prepare& prepare, const OperandInputs<3>& inputs) {
  const auto& op = prepare.op();
  const auto plan = sdk::plan_broadcast(op.input(inputs[0]).dims(), op.input(inputs[1]).dims(),
                                        op.input(inputs[2]).dims(), op.output(0).dims());
  sdk::visit_floats(op.input(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = sdk::compute_t<T>;
    constexpr std::int64_t kPicoseconds = 60 * sizeof(C);
    if constexpr (sdk::is_half<T>) {
      emplace_half_broadcast_map<ShareOfLarger<C>, kPicoseconds, T, T>(prepare, plan, inputs);
    } else {
      emplace_broadcast_map<ShareOfLarger<T>, kPicoseconds, T, T, T, T>(prepare, plan, inputs);
    }
  });
}

void prepare_max_grad(Prepare& prepare) { prepare_share_of_larger(prepare, {0, 1, 2}); }

// x is less than y where y is larger than x.
void prepare_min_grad(Prepare& prepare) { prepare_share_of_larger(prepare, {1, 0, 2}); }

sdk::KernelDef taken_grad(std::string_view op, sdk::CreateFn create) {
  return {.op = op,
          .name = kPortable,
          .dtypes = sdk::kFloatBits,
          .create = create,
          .aliases = {{0, 0}, {1, 0}, {2, 0}}};
}

template <class Op>
sdk::KernelDef binary(std::string_view op) {
  return {.op = op,
          .name = kPortable,
          .dtypes = sdk::kNumberBits,
          .create = sdk::make_kernel<prepare_binary<Op>>,
          .aliases = {{0, 0}, {1, 0}}};
}

}  // namespace

void add_elementwise_binary(KernelDefs& kernels) {
  kernels.push_back(binary<Add>("elementwise_add"));
  kernels.push_back(binary<Sub>("elementwise_sub"));
  kernels.push_back(binary<Mul>("elementwise_mul"));
  kernels.push_back(binary<Div>("elementwise_div"));
  kernels.push_back(binary<Max>("elementwise_max"));
  kernels.push_back(binary<Min>("elementwise_min"));
  kernels.push_back(binary<Pow>("elementwise_pow"));
  kernels.push_back(binary<Mod>("elementwise_mod"));
  kernels.push_back(taken_grad("elementwise_max_grad", sdk::make_kernel<prepare_max_grad>));
  kernels.push_back(taken_grad("elementwise_min_grad", sdk::make_kernel<prepare_min_grad>));
}

}  // namespace loci::kernels
