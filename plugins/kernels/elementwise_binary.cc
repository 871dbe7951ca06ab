// elementwise_add, _sub, _mul, _div with broadcasting.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/broadcast.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

// At least 32 bits wide and unsigned, so that overflow wraps and the narrow types do not get
// promoted to int.
template <class T>
using wrapping_t = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

struct Add {
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

template <class Op, class T>
LOCI_INLINE inline T apply(T x, T y) {
  using C = sdk::compute_t<T>;
  return static_cast<T>(Op::template apply<C>(static_cast<C>(x), static_cast<C>(y)));
}

// `out` may be x or y, element for element.
template <class Op, class T>
LOCI_INLINE inline void apply_row(T* out, const T* x, bool x_advances, const T* y, bool y_advances,
                                  std::int64_t count) {
  if (x_advances && y_advances) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = apply<Op>(x[i], y[i]);
  } else if (x_advances) {
    const T right = *y;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = apply<Op>(x[i], right);
  } else {
    const T left = *x;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = apply<Op>(left, y[i]);
  }
}

template <class Op, class T>
struct SmallRow {
  void launch(const Launch& launch) const noexcept {
    const T* x = launch.input<T>(0);
    const T* y = launch.input<T>(1);
    T* out = launch.output<T>(0);
    for (std::int64_t i = 0; i < count; ++i, x += x_step, y += y_step) out[i] = apply<Op>(*x, *y);
  }
  std::int64_t count;
  std::int64_t x_step;
  std::int64_t y_step;
};

template <class Op, class T>
struct Rows {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    const T* y = launch.input<T>(1);
    T* out = launch.output<T>(0);
    host->parallel_for(0, plan.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (sdk::is_float<T>) {
        run_widest([&](auto) LOCI_INLINE { run(out, x, y, begin, end); });
      } else {
        run(out, x, y, begin, end);
      }
    });
  }

  LOCI_INLINE void run(T* out, const T* x, const T* y, std::int64_t begin, std::int64_t end) const {
    for_each_row(
        plan, begin, end,
        [&](std::int64_t o, std::int64_t i, std::int64_t j, std::int64_t length) LOCI_INLINE {
          apply_row<Op>(out + o, x + i, plan.advances[0], y + j, plan.advances[1], length);
        });
  }

  static constexpr std::int64_t kGrain = grain_for(sdk::is_half<T> ? 250 : 40 * sizeof(T));
  const sdk::Host* host;
  BroadcastPlan plan;
};

template <class Op>
void prepare_binary(Prepare& prepare) {
  const auto& op = prepare.op();
  const BroadcastPlan plan =
      plan_broadcast(op.input(0).dims(), op.input(1).dims(), op.output(0).dims());
  sdk::visit_numbers(op.input(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (plan.is_one_row() && plan.count <= kSmallCount) {
      prepare.emplace<SmallRow<Op, T>>(plan.count, static_cast<std::int64_t>(plan.advances[0]),
                                       static_cast<std::int64_t>(plan.advances[1]));
    } else {
      prepare.emplace<Rows<Op, T>>(&prepare.host(), plan);
    }
  });
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
}

}  // namespace loci::kernels
