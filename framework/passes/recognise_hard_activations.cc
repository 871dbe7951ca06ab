#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;

double real(const Operator& op, const char* attribute) {
  return std::get<double>(op.attributes.at(attribute));
}

// Returns true if it may be the last one of an activation: an elementwise operator with a result.
bool may_end(const Operator& op) {
  return op.type() == "scale" || op.type() == "elementwise_mul" || op.type() == "elementwise_div";
}

bool is_step(const std::optional<Linear>& step, double factor, double offset) {
  return step && is_about(step->factor, factor) && step->offset == offset;
}

// Returns the x of x + 3 clipped to [0, 6]; nothing for other values.
std::optional<VarId> clipped_rise(const Expressions& expressions, VarId id) {
  const Operator* clip = expressions.producer(id, "clip");
  if (clip == nullptr || real(*clip, "min") != 0 || real(*clip, "max") != 6) return std::nullopt;
  const std::optional<Linear> rise = expressions.linear_step(argument(*clip));
  return is_step(rise, 1, 3) ? std::optional(rise->x) : std::nullopt;
}

// Returns the x of x / 6 + 1 / 2 clipped to [0, 1]; nothing for other operators.
std::optional<VarId> clipped_line(const Expressions& expressions, const Operator& clip) {
  if (real(clip, "min") != 0 || real(clip, "max") != 1) return std::nullopt;
  const Linear line = expressions.linear(argument(clip));
  const bool is_meant = is_about(line.factor, 1.0 / 6) && line.offset == 0.5;
  return is_meant ? std::optional(line.x) : std::nullopt;
}

std::optional<Recognised> of_x(const char* type, const std::optional<VarId>& x) {
  return x ? std::optional(Recognised{type, {{"x", *x}}, {}}) : std::nullopt;
}

// The factor of x in the product that `x_of` knows, if the other one is of the same x.
template <class XOf>
std::optional<VarId> multiplied(const Operator& product, const XOf& x_of) {
  for (const std::size_t slot : {0U, 1U}) {
    const VarId x = argument(product, slot);
    if (x_of(argument(product, 1 - slot)) == x) return x;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Recognised> recognise_hard_sigmoid(const Operator& root,
                                                 const Expressions& expressions) {
  if (root.type() == "clip") return of_x("hard_sigmoid", clipped_line(expressions, root));
  if (!may_end(root)) return std::nullopt;
  const std::optional<Linear> sixth = expressions.linear_step(result(root));
  if (!is_step(sixth, 1.0 / 6, 0)) return std::nullopt;
  return of_x("hard_sigmoid", clipped_rise(expressions, sixth->x));
}

std::optional<Recognised> recognise_hard_swish(const Operator& root,
                                               const Expressions& expressions) {
  if (!may_end(root)) return std::nullopt;
  if (root.type() == "elementwise_mul") {
    const auto x = multiplied(root, [&](VarId gate) -> std::optional<VarId> {
      const Operator* sigmoid = expressions.producer(gate, "hard_sigmoid");
      return sigmoid == nullptr ? std::nullopt : std::optional(argument(*sigmoid));
    });
    if (x) return of_x("hard_swish", x);
  }
  const std::optional<Linear> sixth = expressions.linear_step(result(root));
  if (!is_step(sixth, 1.0 / 6, 0)) return std::nullopt;
  const Operator* product = expressions.producer(sixth->x, "elementwise_mul");
  if (product == nullptr) return std::nullopt;
  return of_x("hard_swish",
              multiplied(*product, [&](VarId gate) { return clipped_rise(expressions, gate); }));
}

}  // namespace loci::passes
