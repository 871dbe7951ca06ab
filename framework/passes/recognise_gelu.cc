#include <algorithm>
#include <array>
#include <numbers>

#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;

// The most factors between the product and x, that may be x's own.
constexpr int kMostFactors = 3;

// Returns true if u is sqrt(2 / pi) (x + 0.044715 x^3).
bool is_bent(const Expressions& expressions, VarId u, VarId x) {
  constexpr double kSlope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  constexpr double kCubic = 0.044715;
  const std::optional<Cubic> found = expressions.cubic(u, x);
  return found && (*found)[0] == 0 && is_about((*found)[1], kSlope) && (*found)[2] == 0 &&
         is_about((*found)[3], kSlope * kCubic);
}

// Returns true if u is x / sqrt(2).
bool is_over_root(const Expressions& expressions, VarId u, VarId x) {
  const std::optional<Cubic> found = expressions.cubic(u, x);
  return found && (*found)[0] == 0 && is_about((*found)[1], std::numbers::sqrt2 / 2) &&
         (*found)[2] == 0 && (*found)[3] == 0;
}

// The function of a gate, and a test of the argument that it has to be given.
struct GateForm {
  const char* function;
  bool approximate;
  bool (*is_argument)(const Expressions& expressions, VarId u, VarId x);
};
constexpr std::array kForms = {GateForm{"tanh", true, &is_bent},
                               GateForm{"erf", false, &is_over_root}};

const GateForm* form_of(const Operator* function) {
  if (function == nullptr) return nullptr;
  const auto* const found = std::find_if(kForms.begin(), kForms.end(), [&](const GateForm& form) {
    return function->type() == form.function;
  });
  return found == kForms.end() ? nullptr : found;
}

// `factor` times both values is the gelu of what it returns: the gate is what x is multiplied by,
// some of whose factors may stand at x.
std::optional<Recognised> gelu_of(const Expressions& expressions, double factor, VarId gate,
                                  VarId x) {
  const Linear line = expressions.linear(gate);
  const Operator* function = expressions.producer(line.x);
  const GateForm* form = form_of(function);
  if (form == nullptr) return std::nullopt;
  for (int i = 0; i <= kMostFactors; ++i) {
    const bool is_half = is_about(factor * line.factor, 0.5) && is_about(factor * line.offset, 0.5);
    if (is_half && form->is_argument(expressions, argument(*function), x)) {
      return Recognised{"gelu", {{"x", x}}, {{"approximate", form->approximate}}};
    }
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
    std::optional<Recognised> found =
        gelu_of(expressions, outer.factor, argument(*product, gate), argument(*product, 1 - gate));
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace loci::passes
