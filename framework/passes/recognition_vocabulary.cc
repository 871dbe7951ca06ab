#include "framework/passes/recognition_vocabulary.h"

#include <algorithm>
#include <cmath>

#include "framework/passes/uniform_number.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

// The most operators in a row that are taken for one factor or offset.
constexpr int kMostLinearSteps = 4;
// The most operators that are read for a polynomial.
constexpr int kMostCubicSteps = 24;

std::size_t at(VarId id) { return static_cast<std::size_t>(id); }

// Nothing if the product has a degree above 3.
std::optional<Cubic> product(const Cubic& a, const Cubic& b) {
  Cubic all{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (a[i] == 0 || b[j] == 0) continue;
      if (i + j >= all.size()) return std::nullopt;
      all[i + j] += a[i] * b[j];
    }
  }
  return all;
}

Cubic sum(const Cubic& a, const Cubic& b, double factor) {
  Cubic all = a;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += factor * b[i];
  return all;
}

std::optional<Cubic> raised(const Cubic& base, double exponent) {
  if (exponent != 2 && exponent != 3) return std::nullopt;
  const std::optional<Cubic> square = product(base, base);
  return !square || exponent == 2 ? square : product(*square, base);
}

}  // namespace

VarId argument(const Operator& op, std::size_t slot) { return op.inputs[slot].front(); }
VarId result(const Operator& op) { return op.outputs.front().front(); }

bool is_about(double number, double meant) {
  return std::abs(number - meant) <= 2e-6 * std::abs(meant);
}

Expressions::Expressions(const Block& block, SizeNotes* sizes)
    : block_(block), sizes_(sizes), positions_(block.vars.size(), kNoPosition) {
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    for (const Slot& slot : block.ops[i].outputs) {
      for (const VarId id : slot) positions_[at(id)] = block.var(id).persistable ? kNoPosition : i;
    }
  }
}

// Variables that a pass adds are read by nobody.
std::size_t Expressions::position(VarId id) const {
  return at(id) < positions_.size() ? positions_[at(id)] : kNoPosition;
}

const Operator* Expressions::producer(VarId id) const {
  const std::size_t found = position(id);
  return found == kNoPosition ? nullptr : &block_.ops[found];
}

const Operator* Expressions::producer(VarId id, std::string_view type) const {
  const Operator* op = producer(id);
  return op != nullptr && op->type() == type ? op : nullptr;
}

std::optional<double> Expressions::constant(VarId id) const {
  const Operator* op = producer(id);
  if (op == nullptr || !is_floating(type(id).dtype)) return std::nullopt;
  return uniform_number(*op, type(id).dtype);
}

// Returns true if the result has the shape of x, whatever extents are known only when it runs.
bool Expressions::keeps_shape(const Operator& op, VarId x, VarId number) const {
  if (shape(result(op)) != shape(x)) return false;
  const Operator* like = producer(number, "full_like");
  return shape(number).is_static() || (like != nullptr && argument(*like) == x);
}

std::optional<Linear> Expressions::with_constant(const Operator& op) const {
  const bool is_sum = op.type() == "elementwise_add";
  const bool is_difference = op.type() == "elementwise_sub";
  const bool is_product = op.type() == "elementwise_mul";
  const bool is_quotient = op.type() == "elementwise_div";
  if (!is_sum && !is_difference && !is_product && !is_quotient) return std::nullopt;
  for (const std::size_t slot : {1U, 0U}) {
    const VarId x = argument(op, 1 - slot);
    const std::optional<double> number = constant(argument(op, slot));
    if (!number || !keeps_shape(op, x, argument(op, slot))) continue;
    if (is_sum) return Linear{x, 1, *number};
    if (is_product) return Linear{x, *number, 0};
    if (is_difference) return slot == 1 ? Linear{x, 1, -*number} : Linear{x, -1, *number};
    if (slot == 1) return Linear{x, 1 / *number, 0};
  }
  return std::nullopt;
}

std::optional<Linear> Expressions::linear_step(VarId id) const {
  const Operator* op = producer(id);
  if (op == nullptr || !is_floating(type(id).dtype)) return std::nullopt;
  if (op->type() != "scale") return with_constant(*op);
  return Linear{argument(*op), std::get<double>(op->attributes.at("scale")),
                std::get<double>(op->attributes.at("bias"))};
}

Linear Expressions::linear(VarId id) const {
  Linear all{id};
  for (int i = 0; i < kMostLinearSteps; ++i) {
    const std::optional<Linear> step = linear_step(all.x);
    if (!step) break;
    all = {step->x, all.factor * step->factor, all.factor * step->offset + all.offset};
  }
  return all;
}

Linear Expressions::multiple(VarId id) const {
  Linear all{id};
  for (int i = 0; i < kMostLinearSteps; ++i) {
    const std::optional<Linear> step = linear_step(all.x);
    if (!step || step->offset != 0) break;
    all = {step->x, all.factor * step->factor};
  }
  return all;
}

std::optional<Power> Expressions::power_by(const Operator& op) const {
  const VarId x = argument(op);
  if (op.type() == "square") return Power{x, 2};
  if (op.type() == "sqrt") return Power{x, 0.5};
  if (op.type() == "rsqrt") return Power{x, -0.5};
  if (op.type() == "elementwise_mul" && x == argument(op, 1)) return Power{x, 2};
  if (op.type() == "elementwise_div" && constant(x) == 1.0) {
    const Operator* root = producer(argument(op, 1), "sqrt");
    if (root != nullptr && keeps_shape(op, argument(op, 1), x)) return Power{argument(*root), -0.5};
  }
  if (op.type() != "elementwise_pow" || !keeps_shape(op, x, argument(op, 1))) return std::nullopt;
  const std::optional<double> exponent = constant(argument(op, 1));
  return exponent ? std::optional(Power{x, *exponent}) : std::nullopt;
}

std::optional<Power> Expressions::power(VarId id) const {
  const Operator* op = producer(id);
  if (op == nullptr || op->inputs.empty() || op->inputs.front().empty()) return std::nullopt;
  return power_by(*op);
}

std::optional<Reduction> Expressions::reduction(VarId id, std::string_view name) const {
  const Operator* op = producer(id, name);
  if (op == nullptr || !std::get<bool>(op->attributes.at("keep_dim"))) return std::nullopt;
  Reduction found{argument(*op), std::get<std::vector<std::int64_t>>(op->attributes.at("axes"))};
  const int dimensions = rank(found.x);
  for (std::int64_t& axis : found.axes) axis += axis < 0 ? dimensions : 0;
  if (found.axes.empty()) {
    for (int axis = 0; axis < dimensions; ++axis) found.axes.push_back(axis);
  }
  std::sort(found.axes.begin(), found.axes.end());
  return found;
}

std::optional<Cubic> Expressions::cubic(VarId id, VarId x) const {
  int steps = kMostCubicSteps;
  return cubic(id, x, &steps);
}

std::optional<Cubic> Expressions::cubic(VarId id, VarId x, int* steps) const {
  if (id == x) return Cubic{0, 1, 0, 0};
  if (--*steps < 0) return std::nullopt;
  if (const std::optional<Linear> step = linear_step(id)) {
    const std::optional<Cubic> inner = cubic(step->x, x, steps);
    if (!inner) return std::nullopt;
    return sum({step->offset, 0, 0, 0}, *inner, step->factor);
  }
  if (const std::optional<Power> raising = power(id)) {
    const std::optional<Cubic> base = cubic(raising->x, x, steps);
    return base ? raised(*base, raising->exponent) : std::nullopt;
  }
  const Operator* op = producer(id);
  return op != nullptr ? cubic_of_two(*op, x, steps) : std::nullopt;
}

std::optional<Cubic> Expressions::cubic_of_two(const Operator& op, VarId x, int* steps) const {
  const bool is_product = op.type() == "elementwise_mul";
  const bool is_sum = op.type() == "elementwise_add";
  if (!is_product && !is_sum && op.type() != "elementwise_sub") return std::nullopt;
  const std::optional<Cubic> left = cubic(argument(op, 0), x, steps);
  if (!left) return std::nullopt;
  const std::optional<Cubic> right = cubic(argument(op, 1), x, steps);
  if (!right) return std::nullopt;
  return is_product ? product(*left, *right) : sum(*left, *right, is_sum ? 1 : -1);
}

}  // namespace loci::passes
