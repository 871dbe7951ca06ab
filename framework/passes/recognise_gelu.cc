#include <numbers>

#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;

// Of factors between the product and x, that may be x's own.
constexpr int kMostFactors = 3;

// Whether u is sqrt(2 / pi) (x + 0.044715 x^3).
bool is_bent(const Expressions& expressions, VarId u, VarId x) {
  constexpr double kSlope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  constexpr double kCubic = 0.044715;
  const std::optional<Cubic> found = expressions.cubic(u, x);
  return found && (*found)[0] == 0 && is_about((*found)[1], kSlope) && (*found)[2] == 0 &&
         is_about((*found)[3], kSlope * kCubic);
}

// `factor` times both values is the gelu of what is returned: the gate is what x is multiplied by,
// some of whose factors may stand at x.
std::optional<VarId> gelu_of(const Expressions& expressions, double factor, VarId gate, VarId x) {
  const Linear line = expressions.linear(gate);
  const Operator* tanh = expressions.producer(line.x, "tanh");
  if (tanh == nullptr) return std::nullopt;
  for (int i = 0; i <= kMostFactors; ++i) {
    const bool is_half = is_about(factor * line.factor, 0.5) && is_about(factor * line.offset, 0.5);
    if (is_half && is_bent(expressions, argument(*tanh), x)) return x;
    const std::optional<Linear> step = expressions.linear_step(x);
    if (!step || step->offset != 0) return std::nullopt;
    factor *= step->factor;
    x = step->x;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Recognised> recognise_gelu(const Operator& root, const Expressions& expressions) {
  const bool may_be = root.type() == "elementwise_mul" || root.type() == "elementwise_div" ||
                      root.type() == "scale";
  if (!may_be) return std::nullopt;
  const Linear outer = expressions.multiple(result(root));
  const Operator* product = expressions.producer(outer.x, "elementwise_mul");
  if (product == nullptr) return std::nullopt;
  for (const std::size_t gate : {0U, 1U}) {
    const std::optional<VarId> x =
        gelu_of(expressions, outer.factor, argument(*product, gate), argument(*product, 1 - gate));
    if (x) return Recognised{"gelu", {{"x", *x}}, {{"approximate", true}}};
  }
  return std::nullopt;
}

}  // namespace loci::passes
