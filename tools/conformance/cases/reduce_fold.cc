// reduce_max, reduce_min, reduce_prod and their gradient ops.
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"
#include "tools/conformance/reduction.h"

namespace loci::conformance {
namespace {

enum class Fold { kMax, kMin, kProd };

Real fold(Fold kind, Real x, Real y) {
  switch (kind) {
    case Fold::kMax: return std::isnan(x) || x > y ? x : y;
    case Fold::kMin: return std::isnan(x) || x < y ? x : y;
    case Fold::kProd: break;
  }
  return x * y;
}

// Modulo 2^64, of which the narrower types keep the lower bits.
Real whole_product(Real x, Real y) {
  const auto bits = [](Real value) {
    return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                     : static_cast<std::uint64_t>(value);
  };
  return static_cast<Real>(bits(x) * bits(y));
}

// A product of n elements is rounded n times, in any order.
std::vector<Expected> reduce(const Reduction& op, Fold kind, const Array& x) {
  const bool exact = kind != Fold::kProd || is_integer(x.dtype);
  const Shape kept = kept_shape(op);
  Expected out = exact ? Expected::exact(x.dtype, kept) : Expected::bounded(x.dtype, kept);
  std::vector<bool> begun(out.size());
  for (Real& value : out.values) value = 1;  // of no elements
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t to = out.offset(broadcast_index(kept, index_of(x.shape, i)));
    Real& value = out.values[to];
    if (!begun[to]) {
      value = x.values[i];
    } else if (kind == Fold::kProd && is_integer(x.dtype)) {
      value = whole_product(value, x.values[i]);
    } else {
      value = fold(kind, value, x.values[i]);
    }
    begun[to] = true;
  }
  for (std::size_t i = 0; !exact && i < out.size(); ++i) {
    const Real magnitude = std::abs(out.values[i]);
    if (std::isfinite(magnitude)) out.slack[i] = static_cast<Real>(terms(op)) * magnitude;
  }
  out.shape = result_shape(op);
  return {out};
}

Variable build(const Reduction& op, Fold kind, const Variable& x) {
  switch (kind) {
    case Fold::kMax: return reduce_max(x, op.axes, op.keep_dim);
    case Fold::kMin: return reduce_min(x, op.axes, op.keep_dim);
    case Fold::kProd: break;
  }
  return reduce_prod(x, op.axes, op.keep_dim);
}

const char* name_of(Fold kind) {
  return kind == Fold::kMax ? "reduce_max" : (kind == Fold::kMin ? "reduce_min" : "reduce_prod");
}

Case reduce_case(DType dtype, const Reduction& op, Fold kind, const Generator& values,
                 const char* more = "") {
  const bool smooth = *more == '\0';
  return {.op = name_of(kind),
          .variant = variant(op) + more,
          .inputs = {{dtype, op.x, values}},
          .build = [=](const Variables& in) { return Variables{build(op, kind, in[0])}; },
          .reference = [=](const Arrays& in) { return reduce(op, kind, in[0]); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{},
          // A product of all but one, and of as many again in another order.
          .gradient_slack = 32 + 4 * static_cast<Real>(terms(op))};
}

bool is_same(Real x, Real y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// Each gradient is divided among the elements that are the extreme; in[1] is what the op is told
// that it is.
std::vector<Expected> share(const Reduction& op, const Arrays& in) {
  const Array& x = in[0];
  const Shape kept = kept_shape(op);
  const Array extreme(x.dtype, kept, in[1].values);
  const Array grad(x.dtype, kept, in[2].values);
  Array counts(x.dtype, kept);
  const auto at = [&](std::size_t i) {
    return grad.offset(broadcast_index(kept, index_of(x.shape, i)));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_same(x.values[i], extreme.values[at(i)])) counts.values[at(i)] += 1;
  }
  Expected out = Expected::exact(x.dtype, x.shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_same(x.values[i], extreme.values[at(i)])) continue;
    out.values[i] = grad.values[at(i)] / counts.values[at(i)];
  }
  return {out};
}

// With many ties; the extreme is computed by the op under test, whose own cases check it.
Case extreme_grad_case(DType dtype, const Reduction& op, Fold kind, const Generator& values,
                       const char* more = "") {
  const std::string name = std::string(name_of(kind)) + "_grad";
  const Shape result = result_shape(op);
  return {.op = name,
          .variant = variant(op) + more,
          .inputs = {{dtype, op.x, values}, {dtype, result, uniform(-2, 2)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>(name)
                    .input("x", in[0])
                    .input("out", build(op, kind, in[0]))
                    .input("out_grad", in[1])
                    .attr("axes", op.axes)
                    .attr("keep_dim", op.keep_dim)
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                return share(op, {in[0], reduce(op, kind, in[0])[0], in[1]});
              },
          .differentiate = {1}};
}

// The product of the others, one by one.
std::vector<Expected> others(const Reduction& op, const Arrays& in) {
  const Array& x = in[0];
  const Shape kept = kept_shape(op);
  const Array grad(x.dtype, kept, in[1].values);
  Expected out = Expected::bounded(x.dtype, x.shape);
  const auto at = [&](std::size_t i) {
    return grad.offset(broadcast_index(kept, index_of(x.shape, i)));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    Real product = grad.values[at(i)];
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (k != i && at(k) == at(i)) product *= x.values[k];
    }
    out.values[i] = product;
    out.slack[i] = static_cast<Real>(terms(op) + 2) * std::abs(product);
  }
  return {out};
}

// With no, one and two zeros among the factors.
Case prod_grad_case(DType dtype, const Reduction& op) {
  return {.op = "reduce_prod_grad",
          .variant = variant(op),
          .inputs = {{dtype, op.x, cycle({1, -2, 0.5L, 0, 1.5L, -1, 0.75L, 3, -0.5L, 1, 2})},
                     {dtype, result_shape(op), uniform(-2, 2)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("reduce_prod_grad")
                    .input("x", in[0])
                    .input("out_grad", in[1])
                    .attr("axes", op.axes)
                    .attr("keep_dim", op.keep_dim)
                    .results();
              },
          .reference = [=](const Arrays& in) { return others(op, in); },
          .differentiate = {1}};
}

const Reduction kRows[] = {{{}, {}},
                           {{1}, {}},
                           {{5}, {0}},
                           {{5}, {-1}, true},
                           {{2, 3}, {}},
                           {{2, 3}, {}, true},
                           {{3, 5}, {0}},
                           {{3, 5}, {1}},
                           {{3, 5}, {-2}, true},
                           {{2, 3, 4}, {1}},
                           {{2, 3, 4}, {0, 2}},
                           {{2, 3, 4}, {-1, 0}, true},
                           {{2, 3, 2, 3, 2}, {1, 3}},
                           {{2, 3, 2, 3, 2}, {0, 2, 4}, true},
                           {{0, 3}, {1}},
                           {{17, 33}, {0}},
                           {{17, 33}, {1}}};

const Reduction kLarge[] = {{{3, 4099}, {1}},       {{4099, 3}, {0}},
                            {{140001}, {}},         {{7, 129, 33}, {1}},
                            {{7, 129, 33}, {0, 2}}, {{2, 40, 9, 11}, {0, 2, 3}}};

// All numbers of the dtype's range for extremes; factors around 1 for products.
Generator values_of(DType dtype, Fold kind) {
  if (kind == Fold::kProd) {
    if (is_floating(dtype)) return uniform(0.5L, 1.5L);
    return is_unsigned(dtype) ? integers(0, 5) : cycle({1, -3, 2, 5, -1, 7, 3});
  }
  if (is_floating(dtype)) return distinct(0.0625L);
  return is_unsigned(dtype) ? integers(0, 255) : integers(-128, 127);
}

void add_large(Suite& suite, DType dtype, Fold kind) {
  // Powers of two, so that products are exact and a lost factor shows. Seven, which no stride of
  // the cases is a multiple of, so that partial products in any sensible order stay small.
  const Generator factors = cycle({2, 0.5L, -1, 4, 0.25L, 1, -1});
  for (const Reduction& op : kLarge) {
    const bool floating = is_floating(dtype);
    const bool product = kind == Fold::kProd;
    const Generator values = product && floating ? factors : values_of(dtype, kind);
    Case added = reduce_case(dtype, op, kind, values, " large");
    if (product && floating) {
      added.reference = [=](const Arrays& in) {
        std::vector<Expected> out = reduce(op, kind, in[0]);
        out[0].slack.clear();
        return out;
      };
    }
    suite.add(added);
  }
}

void add_special(Suite& suite, DType dtype, Fold kind) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::nanl("");
  const Generator special = cycle({1, nan, kInfinity, -kInfinity, 2, 0, -3});
  suite.add(reduce_case(dtype, {{7, 41}, {1}}, kind, special, " special"));
  suite.add(reduce_case(dtype, {{5, 19}, {0}}, kind, special, " special"));
  suite.add(reduce_case(dtype, {{3, 40}, {1}}, kind, cycle({-kInfinity}), " infinite"));
}

void add_grads(Suite& suite, DType dtype) {
  const Generator ties = cycle({1, 2, 2, -1, 0, 2, -1, -3, -3, 1});
  const Generator special = cycle({1, std::nanl(""), 3, 3, 2, 0, 3, std::nanl(""), -1, -1});
  for (const Reduction& op : kRows) {
    for (const Fold kind : {Fold::kMax, Fold::kMin}) {
      suite.add(extreme_grad_case(dtype, op, kind, ties));
    }
    suite.add(prod_grad_case(dtype, op));
  }
  for (const Fold kind : {Fold::kMax, Fold::kMin}) {
    suite.add(extreme_grad_case(dtype, {{4, 5}, {1}}, kind, special, " special"));
    suite.add(extreme_grad_case(dtype, {{5, 4}, {0}}, kind, special, " special"));
    suite.add(extreme_grad_case(dtype, {{7, 129, 33}, {1}}, kind, ties, " large"));
    suite.add(extreme_grad_case(dtype, {{3, 4099}, {1}}, kind, ties, " large"));
  }
}

}  // namespace

void add_reduce_fold_cases(Suite& suite) {
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const Fold kind : {Fold::kMax, Fold::kMin, Fold::kProd}) {
      for (const Reduction& op : kRows) {
        suite.add(reduce_case(dtype, op, kind, values_of(dtype, kind)));
      }
      add_large(suite, dtype, kind);
      if (is_floating(dtype)) add_special(suite, dtype, kind);
    }
    suite.add(reduce_case(dtype, {{0, 3}, {0}}, Fold::kProd, values_of(dtype, Fold::kProd)));
    suite.add(reduce_case(dtype, {{0, 3}, {}}, Fold::kProd, values_of(dtype, Fold::kProd)));
    suite.add(reduce_case(dtype, {{0, std::int64_t{1} << 50}, {1}}, Fold::kProd,
                          values_of(dtype, Fold::kProd), " no outputs"));
  }
  for (const DType dtype : kFloatTypes) add_grads(suite, dtype);
}

}  // namespace loci::conformance
