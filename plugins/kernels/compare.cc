// Comparisons, logic and choice, with broadcasting.
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/broadcast_map.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/map.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

// On elements as they are stored.
template <class Relation, class T>
struct Compared {
  LOCI_INLINE static bool apply(T x, T y) {
    using C = sdk::compute_t<T>;
    return Relation::holds(static_cast<C>(x), static_cast<C>(y));
  }
};

struct Equal {
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return x == y;
  }
};

struct NotEqual {
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

template <class Relation, class T>
void emplace_pairs(Prepare& prepare, sdk::Dims x, sdk::Dims y) {
  constexpr std::int64_t kPicoseconds = sdk::is_half<T> ? 250 : 40 * sizeof(T);
  emplace_broadcast_map<Compared<Relation, T>, kPicoseconds, bool, T, T>(
      prepare, plan_broadcast(x, y, prepare.op().output(0).dims()));
}

template <class Relation>
void prepare_comparison(Prepare& prepare) {
  const auto& op = prepare.op();
  sdk::visit_all(op.input(0).dtype(), [&](auto tag) {
    emplace_pairs<Relation, typename decltype(tag)::type>(prepare, op.input(0).dims(),
                                                          op.input(1).dims());
  });
}

// x > y is y < x, for NaN too.
template <class Relation>
struct Reversed {
  template <class C>
  LOCI_INLINE static bool holds(C x, C y) {
    return Relation::holds(y, x);
  }
};

template <class Relation>
void prepare_logic(Prepare& prepare) {
  const auto& op = prepare.op();
  emplace_pairs<Relation, bool>(prepare, op.input(0).dims(), op.input(1).dims());
}

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
  const auto plan = plan_broadcast(op.input(0).dims(), op.input(1).dims(), op.input(2).dims(),
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

template <class Relation>
sdk::KernelDef comparison(std::string_view op) {
  return {.op = op,
          .name = kPortable,
          .dtypes = sdk::kAllBits,
          .create = sdk::make_kernel<prepare_comparison<Relation>>};
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
  kernels.push_back(comparison<Equal>("equal"));
  kernels.push_back(comparison<NotEqual>("not_equal"));
  kernels.push_back(comparison<Less>("less_than"));
  kernels.push_back(comparison<LessEqual>("less_equal"));
  kernels.push_back(comparison<Reversed<Less>>("greater_than"));
  kernels.push_back(comparison<Reversed<LessEqual>>("greater_equal"));
  kernels.push_back(logic("logical_and", sdk::make_kernel<prepare_logic<And>>));
  kernels.push_back(logic("logical_or", sdk::make_kernel<prepare_logic<Or>>));
  kernels.push_back(logic("logical_xor", sdk::make_kernel<prepare_logic<NotEqual>>));
  kernels.push_back(logic("logical_not", sdk::make_kernel<prepare_not>));
  kernels.push_back({.op = "where",
                     .name = kPortable,
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL),
                     .create = sdk::make_kernel<prepare_where>,
                     .aliases = {{1, 0}, {2, 0}}});
}

}  // namespace loci::kernels
