// Comparisons, logic and choice, with broadcasting.
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/broadcast_map.h"
#include "plugins/kernels/half_broadcast_map.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

// Compares elements of one type.
template <class Relation, class T>
struct Compared {
  LOCI_INLINE static bool apply(T x, T y) { return Relation::holds(x, y); }
};

struct Equal {
  static constexpr bool kIgnoresSign = true;
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return x == y;
  }
};

struct NotEqual {
  static constexpr bool kIgnoresSign = true;
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return x != y;
  }
};

struct Less {
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return x < y;
  }
};

struct LessEqual {
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return x <= y;
  }
};

struct And {
  LOCI_INLINE static bool holds(bool x, bool y) { return x & y; }
};

struct Or {
  LOCI_INLINE static bool holds(bool x, bool y) { return x | y; }
};

// The type that elements are compared in: for bool that of the number it is stored as.
template <class Relation, class T>
using element_t = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t,
                                     unsigned_if_t<IgnoresSign<Relation>, T>>;

template <class Relation, class T>
void emplace_pairs(Prepare& prepare, const OperandInputs<2>& inputs) {
  using C = sdk::compute_t<T>;
  constexpr std::int64_t kPicoseconds = 40 * sizeof(C);
  const auto& op = prepare.op();
  const auto plan = sdk::plan_broadcast(op.input(inputs[0]).dims(), op.input(inputs[1]).dims(),
                                        op.output(0).dims());
  if constexpr (sdk::is_half<T>) {
    emplace_half_broadcast_map<Compared<Relation, C>, kPicoseconds, T, bool>(prepare, plan, inputs);
  } else {
    emplace_broadcast_map<Compared<Relation, T>, kPicoseconds, bool, T, T>(prepare, plan, inputs);
  }
}

template <class Relation>
void prepare_pairs(Prepare& prepare, const OperandInputs<2>& inputs) {
  sdk::visit_all(prepare.op().input(0).dtype(), [&](auto tag) {
    using T = element_t<Relation, typename decltype(tag)::type>;
    emplace_pairs<Relation, T>(prepare, inputs);
  });
}

template <class Relation>
void prepare_comparison(Prepare& prepare) {
  prepare_pairs<Relation>(prepare, {0, 1});
}

// x > y is y < x, for NaN too.
template <class Relation>
void prepare_reversed(Prepare& prepare) {
  prepare_pairs<Relation>(prepare, {1, 0});
}

template <class Relation>
void prepare_logic(Prepare& prepare) {
  emplace_pairs<Relation, bool>(prepare, {0, 1});
}

// Bytes of 0 or 1 differ where bools do.
void prepare_xor(Prepare& prepare) { emplace_pairs<NotEqual, std::uint8_t>(prepare, {0, 1}); }

struct Not {
  LOCI_INLINE bool operator()(bool x) const { return !x; }
};

void prepare_not(Prepare& prepare) {
  prepare.emplace<Map<bool, bool, Not>>(&prepare.host(), prepare.op().input(0).numel());
}

// Only the size of an element counts.
template <class T>
struct Choice {
  LOCI_INLINE static T apply(bool condition, T x, T y) { return condition ? x : y; }
};

template <class T>
void emplace_where(Prepare& prepare) {
  const auto& op = prepare.op();
  const auto plan = sdk::plan_broadcast(op.input(0).dims(), op.input(1).dims(), op.input(2).dims(),
                                        op.output(0).dims());
  emplace_broadcast_map<Choice<T>, 60 * sizeof(T), T, bool, T, T>(prepare, plan);
}

void prepare_where(Prepare& prepare) {
  switch (sdk::dtype_bytes(prepare.op().input(1).dtype())) {
    case 1: return emplace_where<std::uint8_t>(prepare);
    case 2: return emplace_where<std::uint16_t>(prepare);
    case 4: return emplace_where<std::uint32_t>(prepare);
    default: return emplace_where<std::uint64_t>(prepare);
  }
}

sdk::KernelDef comparison(std::string_view op, sdk::CreateFn create) {
  return {.op = op, .name = kPortable, .dtypes = sdk::kAllBits, .create = create};
}

sdk::KernelDef logic(std::string_view op, sdk::CreateFn create) {
  return {.op = op,
          .name = kPortable,
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL),
          .create = create,
          .aliases = {{0, 0}}};
}

}  // namespace

void add_compare(KernelDefs& kernels) {
  kernels.push_back(comparison("equal", sdk::make_kernel<prepare_comparison<Equal>>));
  kernels.push_back(comparison("not_equal", sdk::make_kernel<prepare_comparison<NotEqual>>));
  kernels.push_back(comparison("less_than", sdk::make_kernel<prepare_comparison<Less>>));
  kernels.push_back(comparison("less_equal", sdk::make_kernel<prepare_comparison<LessEqual>>));
  kernels.push_back(comparison("greater_than", sdk::make_kernel<prepare_reversed<Less>>));
  kernels.push_back(comparison("greater_equal", sdk::make_kernel<prepare_reversed<LessEqual>>));
  kernels.push_back(logic("logical_and", sdk::make_kernel<prepare_logic<And>>));
  kernels.push_back(logic("logical_or", sdk::make_kernel<prepare_logic<Or>>));
  kernels.push_back(logic("logical_xor", sdk::make_kernel<prepare_xor>));
  kernels.push_back(logic("logical_not", sdk::make_kernel<prepare_not>));
  kernels.push_back({.op = "where",
                     .name = kPortable,
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL),
                     .create = sdk::make_kernel<prepare_where>,
                     .aliases = {{1, 0}, {2, 0}}});
}

}  // namespace loci::kernels
