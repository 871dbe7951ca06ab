#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;

// x - mean(x), and where the dimensions begin that the mean is of.
struct Centred {
  VarId x = program::kNoVar;
  std::vector<std::int64_t> axes;
};

std::optional<Centred> centred(const Expressions& expressions, VarId id) {
  const Operator* difference = expressions.producer(id, "elementwise_sub");
  if (difference == nullptr) return std::nullopt;
  const std::optional<Reduction> mean =
      expressions.reduction(argument(*difference, 1), "reduce_mean");
  if (!mean || mean->x != argument(*difference)) return std::nullopt;
  return Centred{mean->x, mean->axes};
}

// Returns true if they are the last ones of so many.
bool are_last(const std::vector<std::int64_t>& axes, int rank) {
  return !axes.empty() && axes.back() == rank - 1 &&
         axes.back() - axes.front() + 1 == static_cast<std::int64_t>(axes.size());
}

// The mean square of `deviation` that `exponent` of it and epsilon divide it by.
struct Spread {
  Reduction square;
  double epsilon = 0;
};

std::optional<Spread> spread(const Expressions& expressions, VarId id, double exponent) {
  const std::optional<Power> root = expressions.power(id);
  if (!root || root->exponent != exponent) return std::nullopt;
  const Linear variance = expressions.linear(root->x);
  const std::optional<Reduction> mean = expressions.reduction(variance.x, "reduce_mean");
  if (!mean || variance.factor != 1 || variance.offset <= 0) return std::nullopt;
  return Spread{*mean, variance.offset};
}

// Recognises a deviation over, or times, the root of its mean square.
std::optional<Recognised> normalised(const Expressions& expressions, VarId deviation, VarId by,
                                     double exponent) {
  const std::optional<Centred> difference = centred(expressions, deviation);
  if (!difference || !are_last(difference->axes, expressions.rank(difference->x))) {
    return std::nullopt;
  }
  const std::optional<Spread> found = spread(expressions, by, exponent);
  if (!found || found->square.axes != difference->axes) return std::nullopt;
  const std::optional<Power> square = expressions.power(found->square.x);
  if (!square || square->exponent != 2 || square->x != deviation) return std::nullopt;
  return Recognised{"layer_norm",
                    {{"x", difference->x}},
                    {{"begin_norm_axis", difference->axes.front()}, {"epsilon", found->epsilon}}};
}

// The result of a layer_norm, and a number for each element of its rows.
struct Row {
  const Operator* norm = nullptr;
  VarId numbers = program::kNoVar;
};

std::optional<Row> with_row(const Operator& root, const Expressions& expressions) {
  for (const std::size_t slot : {0U, 1U}) {
    const Row row{expressions.producer(argument(root, slot), "layer_norm"),
                  argument(root, 1 - slot)};
    if (row.norm == nullptr || argument(root, slot) != result(*row.norm)) continue;
    const Shape& x = expressions.shape(result(*row.norm));
    const Shape& numbers = expressions.shape(row.numbers);
    const bool is_row =
        numbers.rank() == 1 && numbers.is_static() && numbers[0] == x[x.rank() - 1] &&
        std::get<std::int64_t>(row.norm->attributes.at("begin_norm_axis")) == x.rank() - 1;
    if (is_row) return row;
  }
  return std::nullopt;
}

// The norm with the row for its scale or bias, if it has none yet and no bias is scaled.
std::optional<Recognised> with_parameter(const Row& row, const char* slot) {
  Recognised found{row.norm->type(), {}, row.norm->attributes};
  for (std::size_t i = 0; i < row.norm->inputs.size(); ++i) {
    const std::string& name = row.norm->schema->inputs()[i].name;
    if (row.norm->inputs[i].empty()) continue;
    if (name == slot || name == "bias") return std::nullopt;
    found.inputs.emplace_back(name, row.norm->inputs[i].front());
  }
  found.inputs.emplace_back(slot, row.numbers);
  return found;
}

}  // namespace

std::optional<Recognised> recognise_layer_norm(const Operator& root,
                                               const Expressions& expressions) {
  if (root.type() == "elementwise_div") {
    return normalised(expressions, argument(root), argument(root, 1), 0.5);
  }
  if (root.type() != "elementwise_mul") return std::nullopt;
  for (const std::size_t deviation : {0U, 1U}) {
    auto found =
        normalised(expressions, argument(root, deviation), argument(root, 1 - deviation), -0.5);
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Recognised> recognise_row_parameter(const Operator& root,
                                                  const Expressions& expressions) {
  const bool is_scale = root.type() == "elementwise_mul";
  if (!is_scale && root.type() != "elementwise_add") return std::nullopt;
  const std::optional<Row> row = with_row(root, expressions);
  return row ? with_parameter(*row, is_scale ? "scale" : "bias") : std::nullopt;
}

}  // namespace loci::passes
